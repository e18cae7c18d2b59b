#!/bin/sh
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Shards}}
#SBATCH --output={{.Jobs}}/shard-%a.log --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
# Each task of the array computes one shard, and resumes it if it was begun before. Partition, time limit and cores are
# those of sbatch's command line or of SBATCH_PARTITION, SBATCH_TIMELIMIT and so on. Two minutes before the time limit,
# Slurm sends USR1: the step under way is recorded, and the task goes back into the queue. What was cancelled, killed or
# ended with an error resumes with: sbatch --array=I {{.Jobs}}/slurm.sh
limit=
sh {{.Jobs}}/shard.sh "$SLURM_ARRAY_TASK_ID" &
trap 'limit=reached; echo "the time limit is near: this task goes back into the queue"; kill -TERM $!' USR1
trap 'kill -TERM $!' TERM
wait $!
code=$?
while kill -0 $! 2>/dev/null; do # a signal ended wait
	wait $!
	code=$?
done
if [ -n "$limit" ] && [ $code -ne 0 ]; then
	scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit $code
