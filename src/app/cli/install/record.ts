import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import { replaceText } from '../../../platform/config/replace-text.ts'
import { Entry } from './entry.ts'

const Registration = z.object({
  /** Claude Code's own file, or the `.mcp.json` of a project; absolute. */
  file: z.string(),
  scope: z.enum(['user', 'project']),
  entry: Entry,
  /** What there was before: of `mcpServers`, of the file itself, and of another registration by that name. */
  hadServers: z.boolean(),
  hadFile: z.boolean(),
  replaced: z.unknown().optional(),
  /** Of the user's: CLAUDE_CONFIG_DIR, where it was set. */
  configDirectory: z.string().optional(),
  /** Of a project's: what was written, and in the place of what. */
  edit: z.object({ removed: z.string(), inserted: z.string() }).optional(),
})
export type Registration = z.infer<typeof Registration>

const Installed = z.object({ registrations: z.array(Registration) })

/** What was written outside of Iris's home. Throws `config_invalid` for a file that says nothing. */
export function readRecord(file: string): readonly Registration[] {
  if (!existsSync(file)) return []
  try {
    return Installed.parse(JSON.parse(readFileSync(file, 'utf8'))).registrations
  } catch (cause) {
    const remedy = 'Remove it; then "iris uninstall" takes back what it recognizes.'
    throw new IrisError('config_invalid', `${file} does not say what was installed.`, remedy, { cause })
  }
}

/** One a file. */
export async function remember(file: string, registration: Registration): Promise<void> {
  const others = readRecord(file).filter((each) => each.file !== registration.file)
  await write(file, [...others, registration])
}

export async function forget(file: string, registered: string): Promise<void> {
  if (!existsSync(file)) return
  await write(
    file,
    readRecord(file).filter((each) => each.file !== registered),
  )
}

async function write(file: string, registrations: readonly Registration[]): Promise<void> {
  if (registrations.length === 0) return rmSync(file, { force: true })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null
  await replaceText(file, before, `${JSON.stringify({ registrations }, null, 2)}\n`)
}
