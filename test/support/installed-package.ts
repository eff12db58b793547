import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startNpmRegistry } from './npm-registry.ts'
import { scratchDirectory } from './scratch.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const notPacked = new Set(['.git', 'node_modules', 'dist', 'coverage', '.bench'])

interface PackedFile {
  readonly path: string
  readonly size: number
}

/** Iris as `npm pack` makes it and `npm install -g` installs it: into a prefix with nothing else, beside a bare Node. */
export interface InstalledPackage extends AsyncDisposable {
  readonly root: string
  /** The contents of the tarball. */
  readonly files: readonly PackedFile[]
  readonly tarballBytes: number
  /** The directory of the installed package. */
  readonly directory: string
  readonly manifest: Readonly<Record<string, unknown>>
  /** package.json of the checkout that was packed, before and after. */
  readonly manifests: readonly [before: string, after: string]
  /** npm's requests to its registry. */
  readonly asked: ReadonlySet<string>
  /** `iris` and `node`, and the tools of the machine. */
  readonly path: string
}

export async function installPackage(): Promise<InstalledPackage> {
  const scratch = scratchDirectory()
  const [source, bin, prefix] = ['a check out', 'bin', 'prefix'].map((name) => join(scratch.path, name)) as [
    string,
    string,
    string,
  ]
  // A copy: packing builds everything again, while other tests use what the checkout has built.
  cpSync(checkout, source, { recursive: true, filter: (path) => !notPacked.has(basename(path)) })
  symlinkSync(join(checkout, 'node_modules'), join(source, 'node_modules'))
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  const env = { HOME: scratch.path, PATH: [bin, process.env['PATH']].join(delimiter), npm_config_loglevel: 'error' }
  const manifest = join(source, 'package.json')
  const before = readFileSync(manifest, 'utf8')
  const npm = (...args: string[]) => run('npm', args, { cwd: source, env, maxBuffer: 2 ** 26 })

  const { stdout } = await npm('pack', '--json', '--pack-destination', scratch.path)
  const [{ files, size, filename }] = JSON.parse(stdout)
  await using registry = await startNpmRegistry()
  await npm('install', '--global', '--prefix', prefix, '--registry', registry.url, join(scratch.path, filename))
  const directory = join(prefix, 'lib/node_modules', JSON.parse(before).name)
  if (!existsSync(directory)) throw new Error(`npm installed nothing in ${directory}`)
  return {
    root: scratch.path,
    files,
    tarballBytes: size,
    directory,
    manifest: JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')),
    manifests: [before, readFileSync(manifest, 'utf8')],
    asked: registry.asked,
    path: [join(prefix, 'bin'), bin, '/usr/bin', '/bin'].join(delimiter),
    async [Symbol.asyncDispose]() {
      scratch[Symbol.dispose]()
    },
  }
}
