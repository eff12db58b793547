import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { blocks, isRecord, type Line, parseLine, textOf, toolUseIds } from './line.ts'

/**
 * The CLI's own record of a conversation, `<config directory>/projects/<slug>/<session id>.jsonl`. The slug cannot be
 * computed (long ones carry a hash of the CLI's own), so the file is looked for.
 */
export async function findTranscript(configDirectory: string, sessionId: string): Promise<string | undefined> {
  const projects = join(configDirectory, 'projects')
  const slugs = await readdir(projects).catch(() => [])
  const candidates = slugs.map((slug) => join(projects, slug, `${sessionId}.jsonl`))
  const found = await Promise.all(candidates.map(holdsSomething))
  return candidates.find((_, index) => found[index])
}

/** An empty file ends the CLI before it is ready, as a missing one does. */
async function holdsSomething(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isFile() && facts.size > 0,
    () => false,
  )
}

/** What the transcript knows of one delivery. */
export type DeliveryRecord =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unfinished'; readonly partial: string; readonly openTools: readonly string[] }
  | { readonly kind: 'answered'; readonly answer: string }

/** Read only when the process that wrote it has gone: it is flushed late. */
export async function readDelivery(path: string, uuid: string): Promise<DeliveryRecord> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return judgeLines(text.split('\n'), uuid)
}

/**
 * Pure. A delivery is answered when an assistant message after it ends its turn, unless a tool of ours before that came
 * back with a broken pipe: such an answer was made without what it asked for.
 */
export function judgeLines(texts: readonly string[], uuid: string): DeliveryRecord {
  const open = new Map<string, string>()
  let found = false
  let broken = false
  let partial = ''
  for (const text of texts) {
    const line = parseLine(text)
    if (line === undefined || line['isSidechain'] === true) continue
    if (!found) {
      found = line.type === 'user' && line['uuid'] === uuid
      continue
    }
    if (line.type === 'assistant') {
      for (const id of toolUseIds(line)) open.set(id, nameOf(line, id))
      partial += textOf(line)
      if (endsTurn(line) && !broken) return { kind: 'answered', answer: textOf(line) }
    } else if (line.type === 'user') {
      for (const block of blocks(line)) {
        if (block['type'] === 'tool_result') open.delete(String(block['tool_use_id']))
        if (isBrokenPipe(block)) broken = true
      }
      if (startsAnotherTurn(line)) break
    }
  }
  return found ? { kind: 'unfinished', partial, openTools: [...open.values()] } : { kind: 'absent' }
}

function endsTurn(line: Line): boolean {
  const message = line['message']
  return isRecord(message) && message['stop_reason'] === 'end_turn' && textOf(line) !== ''
}

function startsAnotherTurn(line: Line): boolean {
  return line['isMeta'] !== true && blocks(line).every((block) => block['type'] !== 'tool_result')
}

/** The CLI's words for a call or question that was open when its stdin was closed. */
function isBrokenPipe(block: Record<string, unknown>): boolean {
  return block['type'] === 'tool_result' && /stream closed/i.test(JSON.stringify(block['content'] ?? ''))
}

function nameOf(line: Line, id: string): string {
  return String(blocks(line).find((block) => block['id'] === id)?.['name'])
}

const tailBytes = 4 * 1024 * 1024

/** Whether the end of the transcript, where the last deliveries are, knows this uuid. */
export async function transcriptHolds(path: string, uuid: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, tailBytes)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.includes(`"uuid":"${uuid}"`)
  } finally {
    await file.close()
  }
}
