import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import { buildDirectory, isStale } from '../src/adapters/http/dashboard/build.ts'

/** Builds `dist/dashboard` when it is older than what it is made of. Several may be told to at once: one does it. */
const root = fileURLToPath(new URL('..', import.meta.url))
const waitMs = 120_000

async function buildDashboard(): Promise<void> {
  const began = new Date()
  const [made, old] = [join(root, `dist/.dashboard-${process.pid}`), join(root, `dist/.dashboard-${process.pid}.old`)]
  try {
    await build({
      configFile: join(root, 'dashboard/vite.config.ts'),
      // Vite would write what it makes of the file into node_modules.
      configLoader: 'native',
      root: join(root, 'dashboard'),
      logLevel: 'warn',
      build: { outDir: made, emptyOutDir: true },
    })
    compressFirstView(made)
    // What is saved while it is being built makes it old again.
    utimesSync(join(made, 'index.html'), began, began)
    rmSync(old, { recursive: true, force: true })
    moveAside(buildDirectory(root), old)
    renameSync(made, buildDirectory(root))
  } finally {
    for (const directory of [made, old]) rmSync(directory, { recursive: true, force: true })
  }
}

/** Compresses the files that the page itself names, as far as Brotli can: over a slow link they are most of the wait. */
function compressFirstView(directory: string): void {
  const page = readFileSync(join(directory, 'index.html'), 'utf8')
  for (const [, name] of page.matchAll(/"\/(assets\/[^"]+\.(?:js|css))"/g)) {
    const path = join(directory, name!)
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)))
  }
}

function moveAside(directory: string, to: string): void {
  try {
    renameSync(directory, to)
  } catch {
    // There was none.
  }
}

mkdirSync(join(root, 'dist'), { recursive: true })
// The kernel's lock: free again the moment its holder is gone, however it went.
const lock = new DatabaseSync(join(root, 'dist/.dashboard-lock'), { timeout: waitMs })
lock.exec('BEGIN EXCLUSIVE')
if (isStale(root)) await buildDashboard()
lock.close()
