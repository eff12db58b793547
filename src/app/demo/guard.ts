import { type ChildProcess, spawn } from 'node:child_process'

/**
 * If its input ends without a `done`, the demo was killed. The process started last is killed first, because it may
 * start others. A process that the demo was just starting is in no list yet, so on Linux this looks for processes with
 * a directory of the demo in their environment until there is none. The input ends only when every child runs its own
 * program: until then the child holds the pipe open.
 */
const script = `pids=
set --
while IFS= read -r line; do
  case $line in
    done) exit ;;
    /*) set -- "$@" -e "$line" ;;
    *) pids="$line $pids" ;;
  esac
done
[ -z "$pids" ] || kill -9 $pids
[ $# -gt 0 ] && [ -d /proc/self ] || exit
none=0
while [ $none -lt 3 ]; do
  pids=$(cd /proc && grep -lsaF "$@" [0-9]*/environ | cut -d / -f 1)
  if [ -z "$pids" ]; then none=$((none + 1)); else none=0; kill -9 $pids; fi
  sleep 0.1
done`

/** Kills what a demo has started when the demo itself is killed with -9, so that nothing of it stays behind. */
export class Guard implements Disposable {
  readonly #shell: ChildProcess

  constructor() {
    // In its own session, so that Ctrl-C ends only the demo, which then cleans up itself.
    this.#shell = spawn('/bin/sh', ['-c', script], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: {},
    })
    this.#shell.on('error', () => {})
    this.#shell.stdin!.on('error', () => {})
    this.#shell.unref()
  }

  watch(pid: number): void {
    this.#shell.stdin!.write(`${pid}\n`)
  }

  /** Watches every process that has this absolute path in its environment. Call it before the first one is started. */
  watchAllOf(directory: string): void {
    this.#shell.stdin!.write(`${directory}\n`)
  }

  /** Called when everything has ended in order. */
  [Symbol.dispose](): void {
    this.#shell.stdin!.end('done\n')
  }
}
