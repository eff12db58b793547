import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeOptions } from '../../src/app/cli/spawn-daemon.ts'
import type { CommandEnding, RunOptions } from './run-command.ts'
import type { World } from './world.ts'

const host = fileURLToPath(new URL('command-host.ts', import.meta.url))

/** One process behind another command line, such as one that mounts a directory, in which many commands run. */
export class CommandsBehind implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #answers: AsyncIterator<string>
  readonly #ended: Promise<void>
  readonly #world: Pick<World, 'env' | 'home' | 'root'>
  #stderr = ''

  constructor(before: readonly string[], { env, home, root }: World) {
    const [program, ...args] = [...before, process.execPath, ...nodeOptions, host] as const
    this.#world = { env, home, root }
    this.#child = spawn(program, args, { cwd: root, env })
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()))
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#ended = new Promise((resolve) => this.#child.on('close', () => resolve()))
  }

  /** One command at a time. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<CommandEnding> {
    this.#child.stdin.write(`${JSON.stringify({ world: this.#world, words, options })}\n`)
    const { value, done } = await this.#answers.next()
    if (done === true) throw new Error(`The process of the commands has ended: ${this.#stderr}`)
    return JSON.parse(value)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
