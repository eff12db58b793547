import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'
import { scratchDirectory } from './scratch.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

type Note = 'hold' | 'fail' | 'no-node'

/** Everything that the launcher and scripts/run may need of a machine, besides sh, node and npm. */
const tools = ['cat', 'cmp', 'cp', 'date', 'dirname', 'mkdir', 'mv', 'readlink', 'rm', 'rmdir', 'sleep']

/** Tells how it was called, on stdout as a program speaking MCP would. */
const program = `
console.log(JSON.stringify({
  args: process.argv.slice(2),
  cwd: process.cwd(),
  path: process.env.PATH,
  node: process.execPath,
}))
`

/**
 * A checkout with the real launcher and scripts, a stub program, and a PATH that holds the barest tools and a stub npm.
 * That npm notes each call, says what the file `says` holds, waits while the file `hold` is there, fails when `fail` is, and
 * else installs a Node.
 */
export class Checkout {
  /** A directory around the checkout, gone with it. */
  readonly directory: string
  readonly root: string
  readonly bin: string
  readonly #notes: string
  readonly #scratch = scratchDirectory()
  readonly #runs: Run[] = []

  constructor() {
    const directory = this.#scratch.path
    this.directory = directory
    this.root = join(directory, 'a check out')
    this.bin = join(directory, 'bin')
    this.#notes = join(directory, 'notes')
    for (const made of [this.bin, this.#notes, join(this.root, 'src')]) mkdirSync(made, { recursive: true })
    cpSync(join(repository, 'iris'), join(this.root, 'iris'))
    cpSync(join(repository, 'scripts'), join(this.root, 'scripts'), { recursive: true })
    writeFileSync(join(this.root, 'src/main.ts'), program)
    writeFileSync(join(this.root, 'package.json'), '{ "type": "module" }\n')
    this.lock('first')
    for (const tool of tools) this.link(tool)
    this.command('node', 'echo 20.20.2')
    this.command('npm', this.#npm())
  }

  /** Changes package-lock.json, as pulling new dependencies does. */
  lock(name: string): void {
    writeFileSync(join(this.root, 'package-lock.json'), `{ "name": "${name}" }\n`)
  }

  /** Puts a command of the machine on the checkout's PATH. */
  link(tool: string): void {
    const found = ['/bin', '/usr/bin', '/sbin', '/usr/sbin'].map((place) => join(place, tool)).find(existsSync)
    if (found === undefined) throw new Error(`no ${tool} on this machine`)
    symlinkSync(found, join(this.bin, tool))
  }

  /** Puts a shell script on the checkout's PATH. */
  command(name: string, script: string): void {
    const file = join(this.bin, name)
    rmSync(file, { force: true })
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
  }

  note(name: Note): void {
    writeFileSync(join(this.#notes, name), '')
  }

  /** npm's stderr output at its next call. */
  letNpmSay(lines: string): void {
    writeFileSync(join(this.#notes, 'says'), lines)
  }

  clear(name: Note): void {
    rmSync(join(this.#notes, name))
  }

  get npmCalls(): readonly string[] {
    const file = join(this.#notes, 'calls')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  /** Process ids, in the order of the calls. */
  get npmPids(): readonly number[] {
    const file = join(this.#notes, 'pids')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
  }

  async npmHasStarted(): Promise<void> {
    await eventually(() => this.npmPids.length > 0, 'npm has started')
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path))
  }

  /** Leaves a lock as an owner killed outright does. */
  leaveLock(pids: { readonly owner?: number; readonly npm?: number }): void {
    const lock = join(this.root, 'node_modules/.setup-lock')
    mkdirSync(lock, { recursive: true })
    for (const [name, pid] of Object.entries(pids)) writeFileSync(join(lock, name), `${pid}\n`)
  }

  start(file = join(this.root, 'iris'), args: readonly string[] = [], options: Partial<RunOptions> = {}): Run {
    const env = { PATH: this.bin, ...options.env }
    const run = new Run(spawn(file, args, { cwd: options.cwd ?? this.root, env, stdio: ['ignore', 'pipe', 'pipe'] }))
    this.#runs.push(run)
    return run
  }

  /** Ends what is still running, after a test that failed. A held npm ends with the file it waits for. */
  [Symbol.dispose](): void {
    for (const run of this.#runs) run.signal('SIGKILL')
    this.#scratch[Symbol.dispose]()
  }

  #npm(): string {
    return `notes='${this.#notes}'
echo "$*" >>"$notes/calls"
echo $$ >>"$notes/pids"
[ ! -e "$notes/says" ] || cat "$notes/says" >&2
while [ -e "$notes/hold" ]; do sleep 0.05; done
echo 'npm speaks on stdout'
[ ! -e "$notes/fail" ] || { echo 'npm error: no network' >&2; exit 7; }
[ -e "$notes/no-node" ] || { mkdir -p node_modules/.bin; '${process.execPath}' -e '
  require("node:fs").symlinkSync(process.execPath, "node_modules/.bin/node")' 2>/dev/null; }
exit 0`
  }
}

export interface RunOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export class Run {
  readonly ended: Promise<Ending>
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  #stdout = ''
  #stderr = ''

  constructor(child: ChildProcessByStdio<null, Readable, Readable>) {
    this.#child = child
    child.stdout.on('data', (chunk: Buffer) => {
      this.#stdout += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString()
    })
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }))
    })
  }

  /** Waits until `text` stands on stderr; fails when the run ends without it. */
  async says(text: string): Promise<void> {
    while (!this.#stderr.includes(text)) {
      const more = new Promise<boolean>((resolve) => this.#child.stderr.once('data', () => resolve(true)))
      const over = this.ended.then(() => this.#stderr.includes(text))
      if (!(await Promise.race([more, over]))) throw new Error(`ended without saying "${text}":\n${this.#stderr}`)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}
