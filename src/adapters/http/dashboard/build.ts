import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the package or of the checkout, because this file is as deep in `dist/` as in `src/`. */
export const packageRoot = fileURLToPath(new URL('../../../../', import.meta.url))

export function buildDirectory(root: string): string {
  return join(root, 'dist/dashboard')
}

/** The files that the dashboard's build reads and imports. Only a checkout has them. */
const sources = ['dashboard', 'src/adapters/client', 'src/base/protocol', 'src/base/lib', 'scripts/build-dashboard.ts']

/** Whether any source of the dashboard is newer than its build. False for a package, which has no sources. */
export function isStale(root: string): boolean {
  if (!existsSync(join(root, 'dashboard/index.html'))) return false
  const built = changedAt(join(buildDirectory(root), 'index.html'))
  return sources.some((source) => isNewer(join(root, source), built))
}

/** Looks at the times of directories too, because they change when a file is added or removed. */
function isNewer(path: string, than: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  if (stat.mtimeMs > than) return true
  return stat.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), than))
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** How many characters to keep from the end of a failed build's output, where the error is. */
const shownOfFailure = 4000

/** Builds a checkout's dashboard in a separate process, one build at a time. */
export class DashboardBuild {
  readonly #root: string
  #running = false
  #failure: string | undefined

  constructor(root: string) {
    this.#root = root
  }

  /**
   * Starts a build if the last one is stale and none is running. Returns `built`, `building`, or the output of a failed
   * build. A failure is returned once; the next call builds again.
   */
  ensureBuilt(): 'built' | 'building' | { readonly failure: string } {
    if (this.#running) return 'building'
    const failure = this.#failure
    this.#failure = undefined
    if (!isStale(this.#root)) return 'built'
    if (failure !== undefined) return { failure }
    this.#begin()
    return 'building'
  }

  #begin(): void {
    this.#running = true
    let said = ''
    const child = spawn(process.execPath, [join(this.#root, 'scripts/build-dashboard.ts')], {
      cwd: this.#root,
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-shownOfFailure)))
    child.on('error', (error) => (said += error.message))
    child.on('close', (code) => {
      this.#running = false
      if (code !== 0) this.#failure = said || `It ended with exit code ${code}.`
    })
  }
}
