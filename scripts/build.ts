import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { offeredOperations } from '../src/app/cli/table/offered.ts'

/** Emits `dist/`, what npm packs: Node strips no types under node_modules, so an installed Iris has to be JavaScript. */
const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')
const target = join(root, 'dist')
const shebang = '#!/usr/bin/env node\n'

function compile(): void {
  const compiler = join(root, 'node_modules/typescript7/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '--project', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(1)
}

function buildDashboard(): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build-dashboard.ts')], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function copyWhatIsNotCompiled(): void {
  for (const file of globSync('**/*', { cwd: source, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith('.ts')) continue
    const path = join(file.parentPath, file.name)
    cpSync(path, join(target, path.slice(source.length)))
  }
}

function makeExecutable(program: string): void {
  const text = readFileSync(program, 'utf8')
  if (!text.startsWith('#!')) writeFileSync(program, shebang + text)
  chmodSync(program, 0o755)
}

rmSync(target, { recursive: true, force: true })
compile()
copyWhatIsNotCompiled()
// Written to dist/ when it is asked for and not there.
await offeredOperations()
buildDashboard()
const program = join(target, 'main.js')
if (!existsSync(program)) {
  process.stderr.write('build: src/main.ts is missing, so dist/main.js is\n')
  process.exit(1)
}
makeExecutable(program)
