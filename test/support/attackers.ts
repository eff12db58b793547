import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** A program that continues until the test has ended; resolves when it has said that it is at work. */
async function untilTestEnds(program: string, ...args: string[]): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '--eval', program, ...args], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout!.once('data', resolve))
}

/** Two names that lead somewhere else by turns, thousands of times a second. */
export function swapping(a: string, b: string): Promise<void> {
  return untilTestEnds(
    `import { renameSync } from 'node:fs'
     const [a, b] = process.argv.slice(1)
     process.stdout.write('at work')
     const rename = (from, to) => { try { renameSync(from, to) } catch {} }
     for (;;) { rename(a, a + '~'); rename(b, a); rename(a + '~', b) }`,
    a,
    b,
  )
}

/** A named pipe that tells git's diff something else than whoever looks at the configuration before it. */
export async function forgedInclude(path: string, forDiff: string): Promise<void> {
  execFileSync('mkfifo', [path])
  await untilTestEnds(
    `import { closeSync, constants, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
     import { setTimeout as pause } from 'node:timers/promises'
     const [path, text] = process.argv.slice(1)
     const isDiff = (pid) => {
       try {
         const words = readFileSync('/proc/' + pid + '/cmdline', 'latin1').split('\\0')
         return words[0] === 'git' && words.includes('diff')
       } catch { return false }
     }
     process.stdout.write('at work')
     for (;;) {
       let pipe
       try { pipe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) } catch { await pause(1); continue }
       if (readdirSync('/proc').filter(Number).some(isDiff)) try { writeSync(pipe, text) } catch {}
       closeSync(pipe)
       await pause(3)
     }`,
    path,
    forDiff,
  )
}
