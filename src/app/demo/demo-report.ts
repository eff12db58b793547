import { join } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import { type DemoWorld, type Entry, readTranscript, transcriptFile } from './demo-world.ts'
import { apiFile } from './sample-projects.ts'
import { questions } from './sample-script.ts'

export interface Exchange {
  readonly question: string
  readonly result: TurnResult
  /** Time until the answer, as the asker measures it. */
  readonly ms: number
}

/**
 * Throws `internal` unless the answers contain what the model can only know from the file and from the earlier
 * conversation.
 */
export function checkConversation(world: DemoWorld, exchanges: readonly Exchange[], live: boolean): void {
  const [first = '', second = '', third = ''] = exchanges.map(({ result }) => result.response ?? '')
  const port = String(world.projects.port)
  const sessions = new Set(exchanges.map(({ result }) => result.sessionId))
  const transcript = transcriptOf(world, exchanges)
  const demands: readonly [boolean, string][] = [
    [first.includes(port), `The first answer does not name the port ${port} in ${apiFile}.`],
    [live || hasRead(transcript?.entries ?? []), `Claude Code's transcript does not show that it read ${apiFile}.`],
    [plain(second).includes(plain(questions.first)), 'The second answer does not quote the first question.'],
    [third.includes(port), `The third answer does not remember the port ${port}.`],
    [isPort(exchanges.at(-1)?.result.value, port), `The last answer is no value with the port ${port}.`],
    [sessions.size === 1, 'The answers come from different conversations.'],
    [exchanges.every(({ result }) => result.contextReset === undefined), 'The conversation had to start over.'],
  ]
  const failed = demands.flatMap(([met, what]) => (met ? [] : [what]))
  if (failed.length > 0) throw new IrisError('internal', failed.join('\n'), `What was said is in ${world.root}.`)
}

/** Lines that say what was real, what was simulated, and where the files are. */
export function closingWords(world: DemoWorld, exchanges: readonly Exchange[], live: boolean): string[] {
  const transcript = transcriptOf(world, exchanges)
  const version = transcript?.entries.find((entry) => entry.version !== undefined)?.version ?? '(version unknown)'
  const parts = `Claude Code ${version}, the Iris daemon, the MCP bridge, SQLite, the transcript`
  return [
    live
      ? `Real       ${parts}, and the model behind your login.`
      : `Real       ${parts}. Claude Code read ${apiFile} with its Read tool.`,
    ...(live
      ? []
      : ['Scripted   The model: a script on this machine. `iris demo --live` uses your login and the real one.']),
    'Checked    The port comes from a file, another one each time; the first question from the history that',
    '           Claude Code resent; the port once more after its process was gone, and as a value.',
    '',
    `Transcript ${transcript?.file ?? 'not found'}`,
    `IRIS_HOME  ${world.home}`,
    `Log        ${join(world.home, 'logs/daemon.log')}`,
    `Nothing was deleted, so that you can look at it. To remove it: rm -r '${world.root}'`,
  ]
}

function transcriptOf(world: DemoWorld, [first]: readonly Exchange[]): { file: string; entries: Entry[] } | undefined {
  const file = first && transcriptFile(world, first.result.sessionId)
  return file === undefined ? undefined : { file, entries: readTranscript(file) }
}

function isPort(value: unknown, port: string): boolean {
  return isRecord(value) && String(value['port']) === port
}

function hasRead(entries: readonly Entry[]): boolean {
  const blocks = entries.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []))
  return blocks.some(
    (block) => block.type === 'tool_use' && block.name === 'Read' && String(block.input?.file_path).endsWith(apiFile),
  )
}

/** A real model may change quotation marks and line breaks. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').toLowerCase()
}
