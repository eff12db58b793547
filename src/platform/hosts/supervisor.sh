#!/bin/sh
# Iris's supervisor: starts programs on this host that outlive the connection, and gives their output by byte offset.
# POSIX sh. Iris sends it at first use. docs/decisions/0034 has the protocol and why it is so.
#
#   serve NONCE DIR UMASK  what a connection talks to: reads one request from stdin (start, attach, runs, sweep, bury)
#   run RUNDIR UMASK       stays with one program: starts it, waits for it, writes `exit`
#   program RUNDIR UMASK   becomes the program
set -fu
me=$0
task=$1
[ "$task" = program ] || LC_ALL=C

# The start time of a process tells it from a later one with the same id. Fails when there is none, or a zombie.
birth() {
  born=
  if [ -r "/proc/$1/stat" ]; then
    while IFS= read -r line_of_stat; do born=$line_of_stat; done 2>/dev/null <"/proc/$1/stat"
    born=${born##*) }
    case $born in '' | Z* | X*) return 1 ;; esac
    set -- $born
    shift 19
    born=$1
  elif [ -d /proc/self ]; then
    return 1
  else
    case $(ps -o stat= -p "$1" 2>/dev/null) in '' | Z*) return 1 ;; esac
    born=$(ps -o lstart= -p "$1" 2>/dev/null | tr -d ' ')
  fi
  [ -n "$born" ]
}

# Whether the process that a file names ("pid birth") lives; its id is in $id.
alive() {
  id=0 then=
  { IFS=' ' read -r id then <"$1"; } 2>/dev/null || return 1
  [ -n "$then" ] && birth "$id" && [ "$born" = "$then" ]
}

size_of() { size=$(wc -c <"$1" 2>/dev/null) && size=$((size)) || size=0; }

# Ends what reads the output for a connection that has ended without ending it: the tail of busybox does not notice.
end_readers() {
  readers=
  read -r readers <tails || return 0
  set -- $readers
  while [ $# -gt 1 ]; do
    ! birth "$1" || [ "$born" != "$2" ] || kill "$1"
    shift 2
  done
} 2>/dev/null

# To a program and what shares its group; a shell without a terminal may have made none.
signal() { kill "-$1" "-$2" 2>/dev/null || kill "-$1" "$2" 2>/dev/null; }

# Reads exactly $2 bytes of stdin into file $1. `dd` with a count of 1 reads once, and never ahead.
# 1: stdin ended before. 2: the disk takes no more.
take() {
  { true >"$1"; } 2>/dev/null || return 2
  had=0
  while [ "$had" -lt "$2" ]; do
    block=$(($2 - had))
    [ "$block" -le 262144 ] || block=262144
    records=$(dd bs="$block" count=1 2>&1 >>"$1") || return 2
    # A whole block needs no look at the file.
    case $records in 1+0*) size=$((had + block)) ;; *) size_of "$1" ;; esac
    [ "$size" -gt "$had" ] || return 1
    had=$size
  done
}

# Becomes the command, in a session of its own (without a way to have one: in a process group of its own).
in_session() {
  case $session_by in
    setsid) exec setsid "$@" ;;
    perl) exec perl -e 'use POSIX (); POSIX::setsid(); exec { $ARGV[0] } @ARGV' "$@" ;;
    python3) exec python3 -c 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])' "$@" ;;
    *) exec "$@" ;;
  esac
}

# ---------------------------------------------------------------- program, run

program() {
  cd "$rundir" || exit 126
  umask "$1"
  # It has the environment in it, with what is secret there.
  iris_text=$(cat spec)
  rm -f spec
  eval "$iris_text"
  cd "$iris_directory" || exit 126
  unset iris_directory iris_text
  exec "$@"
}

say() { printf '=iris %s\n' "$1" >>status; }

# Takes frames in the order of their numbers, from the newest attach only: the one whose `a` came last. It alone writes to the program's stdin.
writer() {
  trap '' PIPE
  got=0 newest=- owed=
  while IFS= read -r line <&7; do
    kind=${line%% *} line=${line#* }
    who=${line%% *} line=${line#* }
    case $kind in
      a)
        newest=$who
        say "at $newest $got $pid" || owed=yes
        continue
        ;;
      b)
        [ -z "$owed" ] || { say "at $newest $got $pid" && owed=; }
        continue
        ;;
    esac
    number=${line%% *} line=${line#* }
    [ "$who" = "$newest" ] && [ "$number" -eq $((got + 1)) ] || continue
    case $kind in
      w) printf '%s\n' "$line" >&6 ;;
      q) printf '%b\n' "$line" >&6 ;;
      f) cat "frames/$who.$number" >&6 ;;
      c) exec 6>&- ;;
    esac || { say "broken $number" || owed=yes; }
    [ "$kind" != f ] || rm -f "frames/$who.$number"
    got=$number
    say "got $got" || owed=yes
  done 2>/dev/null
}

# Ends a program that nobody has asked for within its grace, and holds one whose output nobody takes.
ticker() {
  quiet=0 ended=0 held=
  while sleep "$tick"; do
    if ! alive resident; then
      # Nobody waits for the program any more, so that nobody would say how it ended.
      signal TERM "$pid"
      kill -KILL "$writing"
      sleep 5
      signal KILL "$pid"
      exit
    fi
    alive attached || end_readers
    read -r beat <beat || beat=1
    if [ "$beat" = 1 ]; then
      quiet=0
      printf 0 1<>beat
    else
      quiet=$((quiet + tick))
    fi
    if [ "$quiet" -ge "$grace" ]; then
      true >grace
      if [ "$ended" -ge 30 ]; then signal KILL "$pid"; else signal TERM "$pid"; fi
      signal CONT "$pid"
      ended=$((ended + tick))
    fi
    size_of out
    read -r acked <acked || acked=0
    if [ $((size - acked)) -gt "$bound" ]; then
      [ -n "$held" ] || { held=yes && signal STOP "$pid" && say "held $size"; }
    elif [ -n "$held" ]; then
      held=
      signal CONT "$pid"
    fi
    size_of err
    [ "$size" -le 1048576 ] || { tail -c 65536 err >err.old; true >err; }
  done 2>/dev/null
}

run() {
  trap '' HUP INT
  cd "$rundir" || exit 1
  birth $$
  printf '%s %s\n' $$ "$born" >resident.part && mv resident.part resident
  # Who has this directory starts the program, or keeps it from ever being started.
  mkdir claim || exit 1
  . ./facts
  exec 5<>in 4<in 6>in 5>&- 7<>inbox
  [ "$session_by" != jobs ] || set -m 2>/dev/null
  in_session env -i "PATH=$PATH" sh "$me" program "$rundir" "$1" <&4 >>out 2>>err 4<&- 6>&- 7>&- &
  pid=$!
  [ "$session_by" != jobs ] || set +m
  exec 4<&-
  birth "$pid"
  printf '%s %s\n' "$pid" "$born" >pid.part && mv pid.part pid
  writer </dev/null >/dev/null 2>&1 &
  writing=$!
  # A shell that calls a function keeps what it redirects: this one must not keep the program's stdin open.
  (
    exec 6>&- 7>&-
    ticker
  ) </dev/null >/dev/null 2>&1 &
  ticking=$!
  exec 6>&- 7>&- 2>/dev/null
  wait "$pid"
  code=$?
  kill -KILL "$writing" "$ticking" 2>/dev/null
  why=ended
  [ ! -e grace ] || why=grace
  rm -f spec
  finish "$code" "$why" "$pid"
}

# The record has its place on the disk since the start: it can be written when the disk is full.
finish() {
  size_of out
  printf '%-62s.' "$1 $size $2 $3" 1<>exit.part
  mv exit.part exit
  say "exit $1 $size $2 $3" 2>/dev/null
  alive attached || end_readers
}

# ---------------------------------------------------------------- serve

refuse() {
  printf '%s refused %s\n' "$nonce" "$1"
  exit 0
}

# What this host has, found out once for each version of this file.
probe() {
  session_by=jobs
  for way in python3 perl setsid; do command -v "$way" >/dev/null && session_by=$way; done
  reader=none
  for way in node python3 perl; do command -v "$way" >/dev/null && reader=$way; done
  case $(tail --version 2>/dev/null) in *GNU* | *uutils*) reader=tail ;; esac
  punch=
  printf '%8192s' '' >"$1.try" && fallocate -p -o 0 -l 4096 "$1.try" && punch=yes
  rm -f "$1.try"
  # Its tail writes 8 KiB at a time: what is there already goes by dd.
  bulk=
  printf abc >"$1.try" && [ "$reader$(dd if="$1.try" bs=8 iflag=skip_bytes,count_bytes skip=1 count=1)" = tailb ] && bulk=yes
  rm -f "$1.try"
  atomic=$(getconf PIPE_BUF /) || case $(uname -s) in Linux) atomic=4096 ;; *) atomic=512 ;; esac
  printf 'session_by=%s reader=%s punch=%s bulk=%s atomic=%s\n' "$session_by" "$reader" "$punch" "$bulk" "$atomic" >"$1.$$" && mv "$1.$$" "$1"
} 2>/dev/null

has() {
  case $1 in none | jobs) ;; *) command -v "$1" >/dev/null ;; esac
}

serve() {
  # The link may go between the making of a run directory and the start in it. A handler, because what is ignored stays ignored.
  trap : PIPE
  nonce=$1 root=$2
  runs=$root/runs
  mkdir -p "$runs" 2>/dev/null || refuse disk_full
  session_by=none reader=none punch= bulk= atomic=512
  [ -r "$me.host" ] && . "$me.host" && has "$session_by" && has "$reader" || probe "$me.host"
  printf '%s ready %s %s %s\n' "$nonce" "$session_by" "$reader" "$atomic"
  IFS= read -r request || exit 0
  set -- $request
  request=$1
  shift
  case $request in
    start) start "$@" ;;
    attach) attach "$@" ;;
    runs) list ;;
    sweep) sweep "$@" ;;
    bury) bury "$1" ;;
    *) refuse request ;;
  esac
}

start() {
  run=$1 tag=$2 whose=$3 grace=$4 bound=$5 bytes=$6
  dir=$runs/$run
  spec=$runs/.spec.$$
  take "$spec" "$bytes"
  case $? in
    1) rm -f "$spec"; exit 0 ;;
    2) rm -f "$spec"; refuse disk_full ;;
  esac
  (
    . "$spec" || exit 5
    CDPATH='' cd "$iris_directory" 2>/dev/null || exit 3
    case $1 in
      */*) [ -f "$1" ] && [ -x "$1" ] || exit 4 ;;
      *) command -v "$1" >/dev/null || exit 4 ;;
    esac
  ) </dev/null >/dev/null 2>&1
  case $? in
    0) ;;
    3) rm -f "$spec"; refuse no_directory ;;
    4) rm -f "$spec"; refuse no_executable ;;
    *) rm -f "$spec"; refuse bad_input ;;
  esac
  mkdir "$dir" 2>/dev/null || { rm -f "$spec"; [ -d "$dir" ] && refuse exists || refuse disk_full; }
  tick=$((grace / 6))
  [ "$tick" -le 5 ] || tick=5
  [ "$tick" -ge 1 ] || tick=1
  {
    cd "$dir" && mkdir frames && mkfifo in inbox &&
      birth $$ && printf '%s %s\n' $$ "$born" >starter &&
      true >out && true >err && true >status && printf '1\n' >beat && printf '%-20s\n' 0 >acked && printf '%-20s\n' 0 >kept &&
      printf '%63s\n' '' >exit.part && printf '%60s\n' '' >attached && printf '%80s\n' '' >delivery && printf '%80s\n' '' >tails &&
      printf 'tag=%s whose=%s grace=%s bound=%s tick=%s session_by=%s\n' "$tag" "$whose" "$grace" "$bound" "$tick" "$session_by" >facts &&
      mv "$spec" spec
  } 2>/dev/null || { cd "$root"; rm -rf "$dir" "$spec"; refuse disk_full; }
  [ "$session_by" != jobs ] || set -m 2>/dev/null
  in_session sh "$me" run "$dir" "$mask" </dev/null >/dev/null 2>>err &
  starting=$!
  [ "$session_by" != jobs ] || set +m
  # While it lives it may still start the program, however long this machine takes.
  birth "$starting" && printf '%s %s\n' "$starting" "$born" >starter.part && mv starter.part starter
  attach "$run" 0
}

attach() {
  run=$1 from=$2
  dir=$runs/$run
  cd "$dir" 2>/dev/null || refuse unknown_run
  size_of out
  read -r kept <kept && [ "$from" -ge "$kept" ] && [ "$from" -le "$size" ] || refuse "offset ${kept:-0} $size"
  # One that another connection left behind.
  ! alive attached || kill "$id" 2>/dev/null
  end_readers
  trap '' PIPE
  birth $$
  printf '%-60s' "$$ $born" 1<>attached
  noted
  printf '%s out %s %s %s\n' "$nonce" "$from" "$size" "$note"
  size_of status
  follow out "$from" 2>/dev/null &
  outputs=$!
  follow status "$size" >&3 &
  tails="$outputs $!"
  readers=
  for each in $tails; do ! birth "$each" || readers="$readers$each $born "; done
  printf '%-80s' "$readers" 1<>tails
  trap 'kill $tails; exit 0' TERM HUP INT
  exec 7<>inbox
  printf 'a %s\n' "$nonce" >&7
  printf '1' 1<>beat
  looks=0 trailing=
  see_exit
  while IFS= read -r line; do order; done
  kill $tails
  exit 0
} 3>&2 2>/dev/null

# Everything in a file from an offset on, and then what is added to it.
follow() {
  case $reader in
    tail)
      size_of "$1"
      if [ -n "$bulk" ] && [ $((size - $2)) -gt 65536 ]; then
        dd if="$1" bs=262144 iflag=skip_bytes,count_bytes skip="$2" count=$((size - $2)) || exit
        set -- "$1" "$size"
      fi
      # Its connection may be killed, which then ends nothing itself.
      exec tail -c "+$(($2 + 1))" --pid="$$" -f "$1" ;;
    perl) exec perl -e '$p = $ARGV[2]; open F, "<", $ARGV[0]; sysseek F, $ARGV[1], 0; $w = .001;
      while (getppid == $p) { $n = sysread F, $b, 262144; if (!$n) { select undef, undef, undef, $w; $w *= 1.1 if $w < .02; next }
        $w = .001; for ($o = 0; $o < $n; $o += $k) { $k = syswrite STDOUT, $b, $n - $o, $o; exit if !defined $k } }' "$1" "$2" "$$" ;;
    python3) exec python3 -c 'import os, sys, time
p = int(sys.argv[3]); f = os.open(sys.argv[1], os.O_RDONLY); os.lseek(f, int(sys.argv[2]), 0); w = .001
while os.getppid() == p:
    b = os.read(f, 262144)
    if not b: time.sleep(w); w = min(w * 1.1, .02); continue
    w = .001
    while b: b = b[os.write(1, b):]' "$1" "$2" "$$" ;;
    node) exec node -e 'const fs = require("fs"), [name, from, p] = process.argv.slice(1), b = Buffer.alloc(262144)
const f = fs.openSync(name, "r"); let at = +from, w = 1
const all = (n, o) => { while (o < n) try { o += fs.writeSync(1, b, o, n - o) } catch (e) { if (e.code !== "EAGAIN") process.exit() } }
const go = () => { const n = fs.readSync(f, b, 0, b.length, at); if (n) { all(n, 0); at += n; w = 1 } else w = Math.min(w * 1.1, 20)
  if (process.ppid === +p) setTimeout(go, n ? 0 : w) }
go()' "$1" "$2" "$$" ;;
    *) exec tail -c "+$(($2 + 1))" -f "$1" ;;
  esac
}

# One line of Iris's.
order() {
  word=${line%% *} line=${line#* }
  case $word in
    w | q | c) printf '%s %s %s\n' "$word" "$nonce" "$line" >&7 ;;
    f)
      number=${line% *}
      take "frames/$nonce.$number" "${line#* }"
      case $? in
        0) printf 'f %s %s\n' "$nonce" "$number" >&7 ;;
        1) kill $tails; exit 0 ;;
        *) printf '=iris full\n' >&3; kill $tails; exit 0 ;;
      esac
      ;;
    p)
      printf '1' 1<>beat
      # A block, which is free again at once: what is written over has its place already.
      printf '%4096s' '' >room && true >room || printf '=iris full\n' >&3
      # Its reader has failed: another connection has another one.
      [ -n "$trailing" ] || kill -0 "$outputs" || { kill $tails; exit 0; }
      see_exit
      printf 'b 0\n' >&7
      printf '=iris p %s\n' "$line" >&3 || { kill $tails; exit 0; }
      ;;
    k) acknowledge "$line" ;;
    d)
      # The next frame begins a message: who comes after Iris's end reads the output from here.
      printf '%-70s' "$line" 1<>delivery
      acknowledge "${line%% *}"
      ;;
    s) ! alive pid || { kill "-$line" "$id"; kill -CONT "$id"; } ;;
    e)
      # Iris has all of the output: what comes on stdout now is the end of stderr.
      trailing=yes
      kill "$outputs"
      wait "$outputs"
      last=err
      [ ! -s err.old ] || { cat err.old err >err.both && last=err.both; }
      tail -c 65536 "$last" >err.last
      size_of err.last
      printf '\n%s err %s\n' "$nonce" "$size"
      cat err.last
      ;;
    x)
      cd "$root" && rm -rf "$dir"
      printf '=iris removed\n' >&3
      kill $tails
      exit 0
      ;;
  esac
}

# The end, though the disk may have been too full to say so in `status`; and that of a supervisor.
see_exit() {
  if [ ! -e exit ] && ! alive resident && [ ! -e exit ]; then
    looks=$((looks + 1))
    # It may have begun, or ended, since it was looked for.
    if [ -e resident ]; then alive resident || [ -e exit ] || vanished; elif never_starts && mkdir claim; then finish - never 0; fi
  fi
  [ ! -e exit ] || { IFS= read -r record <exit; printf '=iris exit %s\n' "${record%.*}" >&3; }
}

# Whoever was to start it has ended; or has been cut off so early that nobody knows who it was.
never_starts() {
  if [ -e starter ]; then ! alive starter && [ ! -e resident ]; else [ "$looks" -gt 12 ]; fi
}

# The last message that was given to the program: where the output stood before it, the number of its frame, its id.
noted() {
  before=- number=- message=-
  read -r before number message <delivery || :
  note="${before:--} ${number:--} ${message:--}"
}

# There is no one who waits for the program any more: after a reboot, or somebody has ended him.
vanished() {
  if alive pid; then
    signal TERM "$id"
    sleep 1
    signal KILL "$id"
  fi
  . ./facts
  sweep_tag "$tag"
  finish - vanished "$id"
}

# What Iris has read may go, but for the last 4 MiB.
acknowledge() {
  printf '%-20s' "$1" 1<>acked
  [ -n "$punch" ] || return 0
  read -r kept <kept || return 0
  upto=$((($1 - 4194304) / 4096 * 4096))
  [ $((upto - kept)) -ge 4194304 ] || return 0
  printf '%-20s' "$upto" 1<>kept
  fallocate -p -o "$kept" -l "$((upto - kept))" out
}

# ---------------------------------------------------------------- all runs

# Calls $1 in each run directory.
each_run() {
  set +f
  set -- "$1" "$runs"/*
  set -f
  call=$1
  shift
  for dir; do
    [ -e "$dir/facts" ] && cd "$dir" && "$call"
  done
  cd "$root"
}

describe() {
  . ./facts
  # Nobody has come for it in a week.
  if [ -n "$(find exit -mtime +7)" ]; then
    cd "$root" && rm -rf "$dir"
    return
  fi
  looks=0
  see_exit 3>/dev/null
  size_of out
  read -r acked <acked
  now=dead
  ! alive pid || now=alive
  id=0
  ! read -r id then <pid || :
  record=-
  [ ! -e exit ] || { IFS= read -r record <exit; record=${record%.*}; }
  noted
  printf '%s run %s %s %s %s %s %s %s %s %s\n' "$nonce" "${dir##*/}" "$tag" "$whose" "$id" "$now" "$size" "$acked" "$note" "$record"
}

# What starts and burials have left that were cut off: nothing is in the making for a week.
remove_halves() {
  set +f
  for dir in "$runs"/* "$runs"/.spec.*; do
    [ -e "$dir/facts" ] || [ -z "$(find "$dir" -prune -mtime +7)" ] || rm -rf "$dir"
  done
  set -f
}

list() {
  remove_halves
  each_run describe
  printf '%s end\n' "$nonce"
} 2>/dev/null

# What carries the tag in its environment, where that can be read (Linux).
tagged() {
  set +f
  found=$(grep -l -F -- "IRIS_PROCESS=$1" /proc/[0-9]*/environ)
  set -f
  for each in $found; do
    each=${each#/proc/}
    each=${each%/environ}
    # Of this run, or of one of this Iris; not of one whose tag only begins alike.
    environment=$(tr '\0' '\n' <"/proc/$each/environ")
    case "$environment
" in *"IRIS_PROCESS=$1
"* | *"IRIS_PROCESS=$1."*) birth "$each" && printf '%s ' "$each" ;; esac
  done
}

# SIGTERM, a quarter of a second, SIGKILL.
sweep_tag() {
  left=$(tagged "$1")
  [ -n "$left" ] || return 0
  kill -TERM $left
  sleep 0.25 || sleep 1
  left=$(tagged "$1")
  [ -z "$left" ] || kill -KILL $left
}

end_tagged() {
  . ./facts
  case $tag in "$wanted" | "$wanted".*) ;; *) return ;; esac
  alive pid || return
  count=$((count + 1))
  signal "$name" "$id"
  signal CONT "$id"
}

sweep() {
  wanted=$1 patience=$2 count=0 name=TERM
  each_run end_tagged
  swept=$count waited=0
  while [ "$count" -gt 0 ]; do
    [ "$waited" -lt "$patience" ] || name=KILL
    sleep 1
    waited=$((waited + 1)) count=0
    each_run end_tagged
  done
  sweep_tag "$wanted"
  printf '%s swept %s\n' "$nonce" "$swept"
} 2>/dev/null

# Sees to it that a start that may still be on its way starts nothing, and ends what it started.
bury() {
  dir=$runs/$1
  if mkdir "$dir"; then
    mkdir "$dir/claim" && printf '%-62s.' '- 0 buried 0' >"$dir/exit"
  elif cd "$dir"; then
    if mkdir claim; then finish - buried 0; else
      alive pid || sleep 1
      ! alive pid || signal KILL "$id"
    fi
  fi
  printf '%s buried\n' "$nonce"
} 2>/dev/null

umask 077
case $task in
  serve) mask=$4 && serve "$2" "$3" ;;
  run) rundir=$2; run "$3" ;;
  program) rundir=$2; program "$3" ;;
esac
