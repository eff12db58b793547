import { relative } from 'node:path'
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer, type WorkerRequest } from 'vitest/node'
import type { TestFile } from './plan.ts'

/** For each process of the run, by its id: the files that it was given, in order. */
export const filesGiven = new Map<number, TestFile[]>()

/** Vitest's processes, which also say what they were given: a file that blocks its process can say nothing itself. */
class NotedForks extends ForksPoolWorker {
  override readonly name = 'noted-forks'
  readonly #root: string
  readonly #project: string

  constructor(options: PoolOptions) {
    super(options)
    this.#root = options.project.config.root
    this.#project = options.project.name
  }

  override send(message: WorkerRequest): void {
    if (message.type === 'run') {
      const { pid } = Reflect.get(this, 'fork') as { readonly pid: number }
      const files = message.context.files.map(({ filepath }) => ({
        project: this.#project,
        file: relative(this.#root, filepath),
      }))
      filesGiven.set(pid, [...(filesGiven.get(pid) ?? []), ...files])
    }
    super.send(message)
  }
}

export const notedForks: PoolRunnerInitializer = {
  name: 'noted-forks',
  createPoolWorker: (options) => new NotedForks(options),
}
