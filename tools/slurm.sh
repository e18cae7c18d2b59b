#!/bin/sh
# A run in shards on a real Slurm: slurmctld and two slurmds on this host, with munge. A task is cancelled and requeued
# half-way, a worker is killed with all that it runs, the disk of a shard is full, and another shard reaches its time
# limit. What is merged in the end has to be the result of one machine, byte for byte. PARLEY is the program; says why
# and succeeds where Slurm cannot be had.
set -eu
PARLEY=${PARLEY:-$PWD/bin/parley}

skip() {
	echo "slurm: skipped: $*"
	exit 0
}
[ "$(id -u)" = 0 ] || skip "daemons and a small disk need root"
for program in slurmctld slurmd munged sbatch; do
	command -v $program >/dev/null && continue
	export DEBIAN_FRONTEND=noninteractive
	{ apt-get update -q && apt-get install -yq --no-install-recommends slurm-wlm munge; } >/dev/null 2>&1 ||
		skip "there is no $program, and slurm-wlm and munge cannot be installed"
done

at=$(mktemp -d)
host=$(hostname -s)
export SLURM_CONF="$at/slurm.conf" XDG_CACHE_HOME="$at/cache"
pids=""
finish() {
	scancel --quiet --user=root 2>/dev/null || true
	for pid in $pids; do
		kill "$pid" 2>/dev/null || true
	done
	sleep 1
	umount "$at/cut.shard-3-of-4" 2>/dev/null || true
	[ -n "${KEEP:-}" ] && echo "kept in $at" || rm -rf "$at"
}
trap finish EXIT
fail() {
	echo "slurm: $*" >&2
	tail -n 20 "$at"/*.log >&2 || true
	exit 1
}

# worker starts the daemon of a node, which says its process id in $at/NODE.pid.
worker() {
	slurmd -N "$1" -D >>"$at/$1.log" 2>&1 &
	eval "$1=$!"
	pids="$pids $!"
}

mkdir -p "$at/munge" "$at/state" "$at/spool-n1" "$at/spool-n2"
chmod 755 "$at"
head -c 128 /dev/urandom >"$at/munge/key"
chmod 400 "$at/munge/key"
chmod 711 "$at/munge"
munged --foreground --force --key-file="$at/munge/key" --socket="$at/munge/socket" --pid-file="$at/munge/pid" \
	--seed-file="$at/munge/seed" --log-file="$at/munge/log" >"$at/munged.log" 2>&1 &
pids="$!"
cat >"$SLURM_CONF" <<END
ClusterName=parley
SlurmctldHost=$host
SlurmUser=root
SlurmctldPort=17100
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd-%n.pid
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool-%n
AuthType=auth/munge
AuthInfo=socket=$at/munge/socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,sched_min_interval=0
SlurmdTimeout=4
KillWait=5
ReturnToService=2
RebootProgram=/bin/true
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host Port=17101 CPUs=1 RealMemory=1000
NodeName=n2 NodeHostname=$host Port=17102 CPUs=1 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=10 State=UP
END
slurmctld -D >"$at/slurmctld.log" 2>&1 &
pids="$pids $!"
worker n1
worker n2

# until_ waits up to so many seconds for a command to succeed.
until_() {
	seconds=$1
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ "$((seconds -= 1))" -ge 0 ] || return 1
		sleep 1
	done
}
up() { [ "$(sinfo -h -t idle,alloc,mixed -o %D | awk '{n += $1} END {print n + 0}')" = 2 ]; }
until_ 60 up || { tail -n 20 "$at"/*.log >&2 && skip "its daemons do not start here: $(sinfo 2>&1)"; }

# The job is the one that the guide has.
sed -n '/^#!\/bin\/sh$/,/^```$/p' "$(dirname "$0")/../docs/guide/shards.md" | sed '$d' >"$at/shards.sh"
words="$PARLEY compare --generated 24 --rounds 3 --conditions madc,shuffled,single --threads 1"
run() { $words "$@"; }
cd "$at"
run --out whole >whole.txt 2>whole.log

# The disk of shard 3 has room for some generations only.
disk=""
mkdir cut.shard-3-of-4
if mount -t tmpfs -o size=48k tmpfs cut.shard-3-of-4 2>/dev/null; then
	disk=small
else
	echo "slurm: no file system can be mounted here: no disk gets full"
fi
export SBATCH_TIMELIMIT=10
# shellcheck disable=SC2086 # several words
submit() { sbatch --parsable --array="$1" shards.sh 4 $words --out cut; }
join() { sbatch --parsable --dependency="afterany:$1" --output=merge.log --open-mode=append \
	--wrap="$PARLEY merge cut && $words --out cut"; }
array=$(submit 1-4)
merge=$(join "$array")

state() { scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | head -n 1; }
generating() {
	n=$("$PARLEY" status --json "cut.shard-$1-of-4" | sed -n 's/"session":.*//; s/.*"generations":\([0-9]*\).*/\1/p')
	[ "${n:-0}" -ge 10 ] && [ "$(state "${array}_$1")" = RUNNING ]
}

until_ 60 generating 1 || fail "shard 1 does not begin"
scontrol requeue "${array}_1"
echo "requeued shard 1 with $("$PARLEY" status cut.shard-1-of-4 | sed -n 's/^done *//p')"

until_ 60 generating 2 || fail "shard 2 does not begin"
node=$(scontrol show job "${array}_2" | sed -n 's/^ *NodeList=//p' | head -n 1)
eval "daemon=\$$node"
children() { for child in $(pgrep -P "$1"); do children "$child"; done; echo "$1"; }
steps=$(pgrep -f "slurmstepd: \[[0-9]*.batch\]" | while read -r step; do
	for child in $(children "$step"); do
		grep -qz "^SLURMD_NODENAME=$node\$" "/proc/$child/environ" 2>/dev/null && children "$step" && break
	done
done) || true # the last process that was looked at may be another's, or gone
[ -n "$steps" ] || fail "worker $node runs nothing"
# shellcheck disable=SC2086 # several processes
kill -9 "$daemon" $steps 2>/dev/null || true
echo "killed worker $node and what it ran, with shard 2 at $("$PARLEY" status cut.shard-2-of-4 | sed -n 's/^done *//p')"
sleep 6
worker "$node"

# The time limit of shard 4 comes near: Slurm, which looks twice a minute, sends USR1, and the task requeues itself. Its
# program is held until then, lest it end before.
until_ 120 generating 4 || fail "shard 4 does not begin"
program=$(pgrep -f -- "--shard 4/4" | while read -r pid; do
	[ "$(readlink "/proc/$pid/exe")" = "$(realpath "$PARLEY")" ] && echo "$pid"
done) || true
[ -n "$program" ] || fail "no program computes shard 4"
kill -STOP "$program"
scontrol update "JobId=${array}_4" TimeLimit=2
warned() { grep -q '^ShdPnd:.*[4-7c-f]...$' "/proc/$1/status"; } # SIGTERM waits for the program
until_ 90 warned "$program" || fail "Slurm does not warn shard 4"
kill -CONT "$program"
requeued() { [ "$(state "${array}_4")" = PENDING ]; }
until_ 60 requeued || fail "shard 4 does not requeue itself: $(state "${array}_4")"
scontrol update "JobId=${array}_4" TimeLimit=10
echo "shard 4 requeued itself before its time limit, with $("$PARLEY" status cut.shard-4-of-4 | sed -n 's/^done *//p')"

# over has Slurm start again at once what it would leave in the queue for two minutes.
over() {
	for i in 1 2 4; do
		[ "$(state "${array}_$i")" != PENDING ] || scontrol update "JobId=${array}_$i" StartTime=now || true
	done
	case "$(state "$merge")" in COMPLETED | FAILED | "") ;; *) false ;; esac
}
until_ 240 over || fail "the merge does not begin: $(squeue)"
if [ -n "$disk" ]; then
	grep -q "shard 3/4 has" merge.log || fail "the merge does not say that shard 3 is unfinished"
	grep -q "no space left on device" shard-3.log || fail "shard 3 does not say that its disk is full"
	"$PARLEY" status cut
	mount -o remount,size=64m cut.shard-3-of-4
	merge=$(join "$(submit 3)")
	until_ 120 over || fail "the second merge does not begin: $(squeue)"
fi
[ "$(state "$merge")" = COMPLETED ] || fail "the merge has failed"
"$PARLEY" status cut
cmp cut/result.json whole/result.json || fail "another result"
"$PARLEY" export cut --out cut.table >/dev/null
"$PARLEY" export whole --out whole.table >/dev/null
cmp cut.table.decisions.csv whole.table.decisions.csv || fail "other decisions"
echo "slurm: four shards, one requeued, one on a worker that was killed${disk:+, one on a full disk}, one at its time" \
	"limit: the result is that of one machine, byte for byte"
