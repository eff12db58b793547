import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRecord } from '../../../base/lib/is-record.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { replaceText } from '../../../platform/config/replace-text.ts'
import { type Entry, isEntry, serverName } from './entry.ts'
import { parsed, withoutServer, withServer } from './json-edit.ts'
import type { Registration } from './record.ts'

const fileName = '.mcp.json'

export function projectFile(directory: string): string {
  return join(directory, fileName)
}

/** The file's text; null if there is none. Throws `invalid_input` for a link, because agents choose where it leads. */
export function textOf(file: string): string | null {
  const facts = lstatSync(file, { throwIfNoEntry: false })
  if (facts === undefined) return null
  if (facts.isFile()) return readFileSync(file, 'utf8')
  throw new IrisError(
    'invalid_input',
    `${file} is a link, or not a regular file.`,
    'Edit the file that the link leads to yourself.',
  )
}

/** The `mcpServers` of `.mcp.json`. Throws `invalid_input` for a file that Claude Code could not read either. */
export function serversOf(file: string, text: string): Readonly<Record<string, unknown>> | undefined {
  const root = parsed(text)
  const servers = root?.['mcpServers']
  if (root !== undefined && (servers === undefined || isRecord(servers))) return servers
  const what = `${file} is not a JSON object${root === undefined ? '' : ' whose mcpServers is one'}.`
  throw new IrisError('invalid_input', what, 'Fix the file or move it away, then try again.')
}

/** Adds the server and leaves everything else unchanged. Returns the edit, for `removeServer`. */
export async function writeServer(file: string, entry: Entry) {
  const before = textOf(file)
  if (before === null) {
    const text = `${JSON.stringify({ mcpServers: { [serverName]: entry } }, null, 2)}\n`
    writeFileSync(file, text, { flag: 'wx' })
    return { removed: '', inserted: text }
  }
  const { text, removed, inserted } = withServer(before, serverName, entry)
  await replace(file, before, text)
  return { removed, inserted }
}

/**
 * Removes the server. Resolves to false if someone has changed the entry since. Deletes a file that only Iris wrote.
 */
export async function removeServer({ file, entry, edit, hadFile, hadServers }: Registration): Promise<boolean> {
  const before = textOf(file)
  if (before === null) return true
  if (basename(file) !== fileName || edit === undefined) return false
  if (!isEntry(parsed(before) && serversOf(file, before)?.[serverName], entry)) return false
  const after = withoutServer(before, serverName, edit, hadServers)
  const isEmpty = Object.keys(parsed(after) ?? {}).length === 0
  if (!hadFile && isEmpty) rmSync(file)
  else await replace(file, before, after)
  return true
}

async function replace(file: string, before: string, after: string): Promise<void> {
  if (await replaceText(file, before, after)) return
  throw new IrisError('config_conflict', `${file} has changed since it was read.`, 'Try again.')
}
