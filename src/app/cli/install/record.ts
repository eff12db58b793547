import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { makeDirectory } from '../../../base/lib/make-directory.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { replaceText } from '../../../platform/config/replace-text.ts'
import { Entry } from './entry.ts'

const Registration = z.object({
  /** Claude Code's own file, or the `.mcp.json` of a project; absolute. */
  file: z.string(),
  scope: z.enum(['user', 'project']),
  entry: Entry,
  /**
   * The state before the installation: whether `mcpServers` and the file existed, and the registration that was
   * replaced.
   */
  hadServers: z.boolean(),
  hadFile: z.boolean(),
  replaced: z.unknown().optional(),
  /** For the scope `user`: CLAUDE_CONFIG_DIR, if it was set. */
  configDirectory: z.string().optional(),
  /** For the scope `project`: the inserted text, and the text that it replaced. */
  edit: z.object({ removed: z.string(), inserted: z.string() }).optional(),
})
export type Registration = z.infer<typeof Registration>

/** Claude Code's settings file, which got the rule for the tools of Iris; `before` is null if there was no file. */
const Allowed = z.object({ file: z.string(), before: z.string().nullable(), after: z.string() })
export type Allowed = z.infer<typeof Allowed>

const Installed = z.object({ registrations: z.array(Registration), allowed: Allowed.optional() })
type Installed = z.infer<typeof Installed>

/** The record of what was written outside of Iris's home. Throws `config_invalid` when it cannot be parsed. */
function read(file: string): Installed {
  if (!existsSync(file)) return { registrations: [] }
  try {
    return Installed.parse(JSON.parse(plainFile(file)))
  } catch (cause) {
    const remedy = 'Remove the file. "iris uninstall" then undoes what it recognizes.'
    throw new IrisError('config_invalid', `${file} cannot be read as a record of what was installed.`, remedy, {
      cause,
    })
  }
}

export function readRecord(file: string): readonly Registration[] {
  return read(file).registrations
}

export function readAllowed(file: string): Allowed | undefined {
  return read(file).allowed
}

/** Keeps one registration for each file. */
export async function remember(file: string, registration: Registration): Promise<void> {
  const installed = read(file)
  const others = installed.registrations.filter((each) => each.file !== registration.file)
  await write(file, { ...installed, registrations: [...others, registration] })
}

export async function rememberAllowed(file: string, allowed: Allowed | undefined): Promise<void> {
  await write(file, { registrations: read(file).registrations, ...(allowed && { allowed }) })
}

export async function forget(file: string, registered: string): Promise<void> {
  const installed = read(file)
  const registrations = installed.registrations.filter((each) => each.file !== registered)
  await write(file, { ...installed, registrations })
}

async function write(file: string, installed: Installed): Promise<void> {
  if (installed.registrations.length === 0 && installed.allowed === undefined) return rmSync(file, { force: true })
  makeDirectory(dirname(file))
  const before = existsSync(file) ? plainFile(file) : null
  await replaceText(file, before, `${JSON.stringify(installed, null, 2)}\n`)
}
