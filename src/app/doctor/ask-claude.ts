import { spawn } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { systemClock } from '../../base/lib/clock.ts'
import { type SetupAnswer, setupAnswer, setupQuestion } from '../../claude/driver/setup-question.ts'
import { ownStdio } from '../../platform/machine/inherited-descriptors.ts'

/** How long Claude Code may take to report, milliseconds. */
export const patienceMs = 14_000
const maxPrinted = 4 * 1024 * 1024

interface Place {
  /** An absolute path. */
  readonly executable: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Claude Code's report on the settings of a directory. Undefined if it does not answer. Never rejects. */
export function askedSettings({ executable, cwd, env }: Place): Promise<SetupAnswer | undefined> {
  const { args, input, env: quiet } = setupQuestion
  return new Promise((resolve) => {
    if (!isAbsolute(executable)) return resolve(undefined)
    const child = spawn(executable, args, { cwd, env: { ...env, ...quiet }, stdio: ownStdio() })
    let printed = ''
    const end = (): void => {
      cancelTimer()
      resolve(setupAnswer(printed))
      child.kill('SIGKILL')
      child.stdout?.destroy()
      child.stderr?.destroy()
    }
    const cancelTimer = systemClock.after(patienceMs, end)
    child.on('error', end)
    child.on('close', end)
    child.stdin?.on('error', () => {})
    child.stderr?.resume()
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.length > maxPrinted || (text.includes('\n') && setupAnswer(printed) !== undefined)) end()
    })
    child.stdin?.write(input)
  })
}
