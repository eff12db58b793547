import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endOthers } from './own-network.ts'
import { type Plan, planVariable, root } from './plan.ts'
import { type RunRecord, readRecord } from './record.ts'

/** `.ci/run` ends a file that runs for that long. */
const tenMinutes = 600_000

export interface RunOptions extends Partial<Omit<Plan, 'record'>> {
  /** Another repository than this one. */
  readonly root?: string
  readonly env?: Readonly<Record<string, string>>
  /** Ends the run; what it recorded until then counts. */
  readonly signal?: AbortSignal
}

/** Runs tests with vitest, and says what happened. All of `npm run test:all`, unless the options name files. */
export async function runTests({ root: at = root, env = {}, signal, ...wishes }: RunOptions = {}): Promise<RunRecord> {
  const directory = mkdtempSync(join(tmpdir(), 'iris-test-run-'))
  try {
    const record = join(directory, 'record')
    const plan: Plan = { limitMs: tenMinutes, ...wishes, record }
    writeFileSync(join(directory, 'plan'), JSON.stringify(plan))
    const child = spawn(process.execPath, [join(at, 'node_modules/vitest/vitest.mjs'), 'run', '--mode', 'all'], {
      cwd: at,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env, [planVariable]: join(directory, 'plan') },
    })
    const end = (): void => void child.kill('SIGINT')
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
    await new Promise((resolve) => child.once('close', resolve))
    signal?.removeEventListener('abort', end)
    if (signal?.aborted) endOthers()
    return readRecord(record)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
