import { type ChildProcess, spawn } from 'node:child_process'
import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import { findExecutable, systemPath } from './find-executable.ts'

/**
 * Reads until the pipe from the daemon ends: the kernel closes it when the daemon dies, however it dies. Then waits 0.7
 * s, so that a busy Claude Code can write its transcript after its own SIGTERM (0.2 s). Then kills all processes that
 * have the given text in their environment, or one of the limit tags that the daemon wrote last. Repeats that until no
 * such process is left, at most 20 times. A later daemon is not affected, because the text and the tags belong to one
 * run of one daemon.
 */
const untilDeath = `
trap '' HUP INT TERM
tags=
while read -r line; do
  [ "$line" = done ] && exit
  tags=$line
done
sleep 0.7 2>/dev/null || sleep 1
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  left=
  for file in $("$1" -alF -e "$0" /proc/[0-9]*/environ 2>/dev/null
    [ "$tags" ] && "$1" -lE "^Max file locks +[0-9]+ +($tags) " /proc/[0-9]*/limits 2>/dev/null); do
    "$1" -q '^State:.Z' "\${file%/*}/status" && continue
    pid=\${file#/proc/}
    kill -9 "\${pid%/*}" 2>/dev/null && left=yes
  done
  [ "$left" ] || exit
  sleep 0.1
done`

const againAfterMs = 1000

interface WatchdogParts {
  readonly clock: Clock
  /**
   * The limit tags of the programs that the daemon started and that have not ended. They find processes that have
   * cleared their environment.
   */
  readonly tags$: Observable<readonly number[]>
  /**
   * Called with the reason if there is no watchdog. Processes of a killed daemon then live until the next daemon ends
   * them.
   */
  readonly onTrouble: (why: string) => void
}

/**
 * Starts a process of about 1 MB that outlives the daemon by a moment and kills the processes that the daemon left
 * running. `life`: a text that only the environments of those processes contain. Returns a function that ends the
 * watchdog.
 */
export async function startWatchdog(life: string, { clock, onTrouble, tags$ }: WatchdogParts): Promise<() => void> {
  const path = `${systemPath}:${process.env['PATH'] ?? ''}`
  const [sh, grep] = await Promise.all([findExecutable('sh', path), findExecutable('grep', path)])
  if (process.platform !== 'linux' || sh === undefined || grep === undefined) {
    onTrouble('it needs Linux, sh and grep')
    return () => {}
  }
  let dog: ChildProcess
  let cancelTimer = (): void => {}
  let hasEnded = false
  let tags: readonly number[] = []
  const tell = (): void => void dog.stdin!.write(`${tags.join('|')}\n`)
  const start = (): void => {
    const stdio = ['pipe', 'ignore', 'ignore'] as const
    dog = spawn(sh, ['-c', untilDeath, life, grep], {
      env: { PATH: path },
      cwd: '/',
      detached: true,
      stdio: [...stdio],
    })
    dog.stdin!.on('error', () => {})
    dog.on('error', (error) => onTrouble(error.message))
    dog.on('exit', () => {
      if (!hasEnded) cancelTimer = clock.after(againAfterMs, start)
    })
    dog.unref()
    tell()
  }
  start()
  const subscription = tags$.subscribe((now) => {
    tags = now
    tell()
  })
  return () => {
    hasEnded = true
    subscription.unsubscribe()
    cancelTimer()
    dog.stdin!.end('done\n')
  }
}
