import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildDirectory, packageRoot } from '../../adapters/http/dashboard/build.ts'
import type { Diagnosis } from './check-context.ts'

const check = 'dashboard'

/** Whether the built dashboard has all its files. A checkout rebuilds it at the next visit; a package cannot. */
export function dashboard(root = packageRoot): readonly Diagnosis[] {
  const built = buildDirectory(root)
  const page = join(built, 'index.html')
  if (!existsSync(page)) return []
  const named = [...readFileSync(page, 'utf8').matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+)"/g)].map(
    ([, name]) => name!,
  )
  const missing = named.filter((name) => !existsSync(join(built, name)))
  if (missing.length === 0) return [{ check, state: 'ok', detail: `${built} is whole` }]
  const detail = `${built} lacks ${missing.join(', ')}`
  if (!existsSync(join(root, 'dashboard/index.html')))
    return [{ check, state: 'fail', detail, remedy: 'Install Iris again.' }]
  return [
    {
      check,
      state: 'warn',
      detail,
      remedy: `rm -r ${built} (Iris rebuilds it when somebody opens it)`,
      async fix() {
        rmSync(built, { recursive: true, force: true })
        return `removed ${built}, which was incomplete: Iris rebuilds it when somebody opens it`
      },
    },
  ]
}
