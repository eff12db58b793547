import { join } from 'node:path'
import { type LongText, longText, writeLongText } from '../../claude/transcript/long-text.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Verdict } from '../turn/verdict.ts'

/** `answer`: the answer, possibly partial. `everything`: also the text before and between the tools. */
export type LongField = 'answer' | 'everything'

type Parts = Pick<OrchestratorParts, 'config' | 'transcripts' | 'log'>

/**
 * Cuts the texts at the end of a turn to `settings.maxAnswerBytes`, with a note on how to get the rest. The whole text
 * is written to a file first. If the file cannot be written, the texts are not cut, so nothing is lost.
 */
export async function withinBounds(
  turnId: string,
  sessionId: string,
  end: Verdict,
  { config, transcripts, log }: Parts,
): Promise<Verdict> {
  const most = config().settings.maxAnswerBytes
  const { answer, partial } = end
  if (!isLong(answer, most) && !isLong(partial, most)) return end
  const keep = async (text: string | null, field: LongField): Promise<{ text: string | null; path?: string }> => {
    if (text === null || !isLong(text, most)) return { text }
    const path = placeOf(transcripts, sessionId, turnId, field)
    await writeLongText(path, text)
    return { text: beginningOf(text, most, turnId, field), path }
  }
  try {
    const kept = await keep(answer, 'answer')
    const said = await keep(partial, answer === null ? 'answer' : 'everything')
    const where = [kept.path, said.path].filter((path) => path !== undefined).join(' and ')
    const detail = `Its text is longer than settings.maxAnswerBytes (${most}); the whole text is in ${where}.`
    return { ...end, answer: kept.text, partial: said.text, detail: [end.detail, detail].filter(Boolean).join(' ') }
  } catch (error) {
    log.error(`a long answer could not be written to a file, so the store has all of it: ${String(error)}`, { turnId })
    return end
  }
}

/** The whole text of a turn of which the store has only the beginning. Undefined if the store has the whole text. */
export function wholeText(
  transcripts: Pick<TranscriptFiles, 'answersOf'>,
  sessionId: string,
  turnId: string,
  field: LongField,
): Promise<LongText | undefined> {
  return longText(placeOf(transcripts, sessionId, turnId, field))
}

function placeOf(
  transcripts: Pick<TranscriptFiles, 'answersOf'>,
  sessionId: string,
  turnId: string,
  field: LongField,
): string {
  return join(transcripts.answersOf(sessionId), `${turnId}${field === 'answer' ? '' : '-everything'}.md`)
}

function isLong(text: string | null, most: number): boolean {
  // In UTF-8, a UTF-16 code unit takes at most three bytes.
  return text !== null && text.length * 3 > most && Buffer.byteLength(text) > most
}

function beginningOf(text: string, most: number, turnId: string, field: LongField): string {
  const beginning = firstBytes(text, most)
  const more = field === 'answer' ? '' : ' and everything: true'
  return `${beginning}\n\n[Iris: this is the beginning of a text of ${text.length} characters. message_status returns the rest in parts: turnId ${turnId}, from ${beginning.length}${more}.]`
}

/** The beginning of a text: as many whole characters as fit into `most` bytes of UTF-8. */
export function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text.slice(0, most))
  let end = Math.min(most, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
