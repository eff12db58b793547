import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { filesGiven } from './noted-forks.ts'
import { partsOf, type TimedTest } from './parts-of.ts'
import { keyOf, type Plan, type TestFile } from './plan.ts'
import { ProcessSampler } from './process-sampler.ts'
import type { Failure, FileRecord, RunRecord } from './record.ts'
import { stacksOf } from './stacks.ts'

const lookMs = 200

interface Running {
  readonly since: number
  readonly worker: number | undefined
  test: string
}

/** Writes the record of a run, counts the programs that its files start, and ends files that run for too long. */
export class Recorder implements Reporter {
  readonly #plan: Plan
  readonly #running = new Map<string, Running>()
  readonly #written = new Set<string>()
  readonly #starts: Record<string, RunRecord['starts'][string]> = {}
  #sampler: ProcessSampler | undefined
  #looking: NodeJS.Timeout | undefined
  #samplerMs = 0
  /** Files are ended one after the other. */
  #ending = Promise.resolve()

  constructor(plan: Plan) {
    this.#plan = plan
  }

  onInit(): void {
    this.#sampler = new ProcessSampler()
    this.#looking = setInterval(() => this.#look(), lookMs)
    this.#looking.unref()
  }

  onTestModuleQueued(module: TestModule): void {
    const file = fileOf(module)
    this.#running.set(keyOf(file), { since: performance.now(), worker: workerOf(file), test: 'no test' })
  }

  onTestCaseReady(test: TestCase): void {
    const running = this.#running.get(keyOf(fileOf(test.module)))
    if (running) running.test = test.fullName
  }

  onTestModuleEnd(module: TestModule): void {
    const file = fileOf(module)
    const { worker } = this.#running.get(keyOf(file)) ?? {}
    this.#running.delete(keyOf(file))
    const { processor = 0 } = module.meta()
    this.#write({
      ...file,
      passed: [...module.children.allTests('passed')].length,
      failures: failuresOf(module),
      wallMs: module.diagnostic().duration,
      processor,
      parts: partsOf(file.project, processor, [...module.children.allTests()].map(timed)),
      before: before(file, worker),
    })
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly { readonly message: string }[],
  ): Promise<void> {
    clearInterval(this.#looking)
    await this.#ending
    for (const file of modules.map(fileOf))
      this.#writeUnfinished(file, 'DidNotEnd', 'Its process ended before the file did.')
    this.#append({
      errors: unhandled.map(({ message }) => message),
      starts: this.#starts,
      samplerSeconds: this.#samplerMs / 1000,
    })
  }

  #look(): void {
    const { user, system } = process.cpuUsage()
    for (const { program, worker } of this.#sampler?.look() ?? []) {
      const key = worker === undefined ? '' : this.#fileIn(worker)
      const starts = (this.#starts[key] ??= {})
      starts[program] = (starts[program] ?? 0) + 1
    }
    const taken = process.cpuUsage({ user, system })
    this.#samplerMs += (taken.user + taken.system) / 1000
    for (const [key, running] of this.#running) {
      if (performance.now() - running.since < this.#plan.limitMs) continue
      this.#running.delete(key)
      this.#ending = this.#ending.then(() => this.#end(key, running))
    }
  }

  /** The file that runs in a process, or else its last one. */
  #fileIn(worker: number): string {
    const given = filesGiven.get(worker)?.map(keyOf) ?? []
    return given.findLast((key) => this.#running.has(key)) ?? given.at(-1) ?? ''
  }

  async #end(key: string, { worker, test }: Running): Promise<void> {
    // It ended while another one was asked for its stacks.
    if (this.#written.has(key)) return
    const [project = '', file = ''] = key.split(' ')
    const pids = worker === undefined ? [] : (this.#sampler?.startedBy(worker) ?? [])
    const started = pids.map((pid) => `  ${pid} ${this.#sampler?.argumentsOf(pid).join(' ').slice(0, 200)}`)
    const stacks = worker === undefined ? 'Its process is not known.' : await stacksOf(worker)
    const ended = `${key} ran for ${this.#plan.limitMs / 1000} s and was ended in ${test}.`
    const said = [ended, stacks, 'It had started:', ...started]
    process.stdout.write(`\n${said.join('\n')}\n`)
    this.#writeUnfinished({ project, file }, 'RanTooLong', said.join('\n'), worker)
    for (const pid of pids) kill(pid)
    // The next one that is asked for its stacks needs this one's port.
    while (worker !== undefined && kill(worker)) await delay(20)
  }

  #writeUnfinished(file: TestFile, name: string, message: string, worker = workerOf(file)): void {
    const failures = [{ test: undefined, errors: [{ name, message }] }]
    this.#write({
      ...file,
      passed: 0,
      failures,
      wallMs: this.#plan.limitMs,
      processor: 0,
      parts: {},
      before: before(file, worker),
    })
  }

  /** Once for each file, whatever vitest still says of one that was ended. */
  #write(record: FileRecord): void {
    if (this.#written.has(keyOf(record))) return
    this.#written.add(keyOf(record))
    this.#append(record)
  }

  #append(line: object): void {
    appendFileSync(this.#plan.record, `${JSON.stringify(line)}\n`)
  }
}

const fileOf = (module: TestModule): TestFile => ({ project: module.project.name, file: module.relativeModuleId })

function timed(test: TestCase): TimedTest {
  return { name: test.fullName, tags: test.tags, ms: test.diagnostic()?.duration ?? 0 }
}

function workerOf(file: TestFile): number | undefined {
  const key = keyOf(file)
  return [...filesGiven].findLast(([, given]) => given.some((each) => keyOf(each) === key))?.[0]
}

function before(file: TestFile, worker: number | undefined): readonly TestFile[] {
  const given = worker === undefined ? [] : (filesGiven.get(worker) ?? [])
  return given.slice(
    0,
    Math.max(
      0,
      given.findIndex((each) => keyOf(each) === keyOf(file)),
    ),
  )
}

function failuresOf(module: TestModule): readonly Failure[] {
  const outside = [module, ...module.children.allSuites()].map((each) => ({ test: undefined, errors: each.errors() }))
  const tests = [...module.children.allTests('failed')].map((test) => ({
    test: test.name,
    errors: test.result().errors ?? [],
  }))
  return [...outside.filter(({ errors }) => errors.length > 0), ...tests].map(({ test, errors }) => ({
    test,
    errors: errors.map(({ name = 'Error', message }) => ({ name, message })),
  }))
}

/** False if it has ended. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
