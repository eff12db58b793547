import type { Reporter, TestModule } from 'vitest/node'
import { processorSeconds } from './processor-time.ts'
import { slowTests } from './slow.ts'

const slowMs = 5000
/** So many files are named that took most of the processor. */
const most = 10

interface Tier {
  files: number
  tests: number
  /** Of all files, which run side by side. */
  sumMs: number
  /** Of all files, in seconds. */
  processor: number
  startedAt: number
  endedAt: number
}

/**
 * Prints for each tier how many tests ran and how long they took, from its first file's start to its last file's end; the files
 * that took most of the processor, and the tests that take long without a reason in `slow.ts`. They fail nothing: a busy machine makes every test slow.
 */
export class TierTimes implements Reporter {
  readonly #tiers = new Map<string, Tier>()
  readonly #slow: string[] = []
  readonly #dearest: { readonly file: string; readonly processor: number }[] = []

  onTestModuleQueued(module: TestModule): void {
    const { name } = module.project
    const now = performance.now()
    if (!this.#tiers.has(name))
      this.#tiers.set(name, { files: 0, tests: 0, sumMs: 0, processor: 0, startedAt: now, endedAt: now })
  }

  onTestModuleEnd(module: TestModule): void {
    const tier = this.#tiers.get(module.project.name)
    if (tier === undefined) return
    tier.files += 1
    tier.tests += [...module.children.allTests()].length
    tier.sumMs += module.diagnostic().duration
    tier.endedAt = performance.now()
    const { processor = 0 } = module.meta()
    tier.processor += processor
    if (processor > 0) this.#dearest.push({ file: module.relativeModuleId, processor })
    if (slowTests.has(module.relativeModuleId)) return
    for (const test of module.children.allTests()) {
      const { duration = 0 } = test.diagnostic() ?? {}
      if (duration > slowMs)
        this.#slow.push(`${(duration / 1000).toFixed(1)} s ${module.relativeModuleId} > ${test.fullName}`)
    }
  }

  onTestRunEnd(): void {
    for (const [name, { files, tests, sumMs, processor, startedAt, endedAt }] of this.#tiers) {
      const seconds = ((endedAt - startedAt) / 1000).toFixed(1)
      const sum = (sumMs / 1000).toFixed(0)
      const parts = [`${sum} s of tests`, ...(processor > 0 ? [`${processor.toFixed(0)} s of processor`] : [])]
      process.stdout.write(`Tier ${name}: ${tests} tests in ${files} files, ${seconds} s (${parts.join(', ')})\n`)
    }
    if (this.#dearest.length > most) {
      const dearest = this.#dearest.toSorted((a, b) => b.processor - a.processor).slice(0, most)
      const lines = dearest.map(({ file, processor }) => `  ${processor.toFixed(1).padStart(5)} s ${file}\n`)
      process.stdout.write(`All took ${processorSeconds().toFixed(0)} s of processor; most took:\n${lines.join('')}`)
    }
    if (this.#slow.length > 0) {
      process.stdout.write(
        `Over 5 s, with no reason in test/tiers/slow.ts:\n${this.#slow.map((line) => `  ${line}\n`).join('')}`,
      )
    }
  }
}
