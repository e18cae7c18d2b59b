package debate

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/parley-debate/parley/bug"
	"github.com/parley-debate/parley/inference"
)

// Router is a Speaker that passes the requests of some agents to speakers of their own, such as a person. Several
// models are one speaker: see inference.Also. All speakers must be comparable, since agents that share one are asked by
// one call.
type Router struct {
	Others Speaker         // for agents that have none of their own
	Own    map[int]Speaker // by agent
}

// Generate implements Speaker. All speakers are asked at the same time.
func (r Router) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	whose := make(map[Speaker][]int)
	for i, request := range requests {
		speaker := r.Own[request.Agent]
		if speaker == nil {
			speaker = r.Others
		}
		whose[speaker] = append(whose[speaker], i)
	}
	replies := make([]inference.Reply, len(requests))
	group, ctx := errgroup.WithContext(ctx)
	for speaker, places := range whose {
		group.Go(func() (err error) {
			defer bug.Catch(&err)
			asked := make([]inference.Request, len(places))
			for k, i := range places {
				asked[k] = requests[i]
			}
			got, err := speaker.Generate(ctx, asked)
			if err != nil {
				return err
			}
			if len(got) != len(asked) {
				return fmt.Errorf("%d replies to %d requests", len(got), len(asked))
			}
			for k, i := range places {
				replies[i] = got[k]
			}
			return nil
		})
	}
	return replies, group.Wait()
}
