import { fileURLToPath } from 'node:url'
import { Refusal } from './refusal.ts'
import { release } from './release.ts'

/** npm run release -- <version> [--dry-run] */
try {
  release({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    args: process.argv.slice(2),
    today: new Date().toISOString().slice(0, 10),
    say: (line) => process.stdout.write(`${line}\n`),
  })
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`No release: ${error.message}\n`)
  process.exitCode = 1
}
