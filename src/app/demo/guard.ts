import { type ChildProcess, spawn } from 'node:child_process'

/** The end of its input without a `done` says that the demo was killed. What was started last is killed first: it may start others. */
const script = `pids=
while read -r pid; do
  [ "$pid" = done ] && exit
  pids="$pid $pids"
done
[ -z "$pids" ] || kill -9 $pids`

/** Kills what a demo has started when the demo itself is killed with -9, so that nothing of it stays behind. */
export class Guard implements Disposable {
  readonly #shell: ChildProcess

  constructor() {
    // In a session of its own, so that Ctrl-C ends only the demo, which then cleans up itself.
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

  /** Everything has ended in order. */
  [Symbol.dispose](): void {
    this.#shell.stdin!.end('done\n')
  }
}
