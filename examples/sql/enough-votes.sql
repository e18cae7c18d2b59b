-- Answering only with enough votes, where several agents have one vote each. An answer that was withheld has the votes
-- that were too few. Where voting stops early, votes are missing in the share, and there is no curve.
WITH debates AS (
    SELECT *, CAST(votes AS STRUCT(answer VARCHAR, agents INTEGER[])[]) AS cast_votes,
        if(withheld = '', decision, withheld) AS decided,
        if(withheld = '', solved, EXISTS (FROM answers a WHERE a.correct AND a.said = '=' || withheld
            AND (a.condition, a.question, a.repeat) = (held.condition, held.question, held.repeat))) AS hit
    FROM held SEMI JOIN (FROM agents WHERE agent > 0) USING (condition, question, repeat)
    WHERE until NOT IN ('certain', 'settled')),
points AS (
    SELECT condition, count(*) AS n, sum(hit) AS hits, coalesce(
            list_sum([len(v.agents) FOR v IN cast_votes IF v.answer = decided])
            / nullif(list_sum([len(v.agents) FOR v IN cast_votes]), 0), 0) AS share
    FROM debates GROUP BY condition, share)
SELECT condition, share AS "votes from", sum(n) OVER more / sum(n) OVER (PARTITION BY condition) AS answered,
    sum(hits) OVER more / sum(n) OVER more AS accuracy
FROM points WINDOW more AS (PARTITION BY condition ORDER BY share DESC)
QUALIFY count(*) OVER (PARTITION BY condition) > 1;
