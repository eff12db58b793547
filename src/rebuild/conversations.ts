import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Pair, pairText } from '../protocol/party.ts'
import { readConversation } from '../transcript/read-conversation.ts'
import { type ToldTurn, type TurnOf, turnsOfConversation, turnsOfTranscript } from './told-turn.ts'

/** A conversation that Iris led, as its files tell it. */
export interface Told {
  readonly sessionId: string
  readonly pair: Pair
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly turns: readonly ToldTurn[]
}

const transcriptName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i

/** Claude Code's own transcripts by session id, `<directory>/<any>/<session id>.jsonl`; of several the last one. */
export async function findTranscripts(directories: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const projects of directories) {
    for (const slug of await readdir(projects).catch(() => [])) {
      for (const name of await readdir(join(projects, slug)).catch(() => [])) {
        const id = transcriptName.exec(name)?.[1]
        if (id !== undefined) found.set(id, join(projects, slug, name))
      }
    }
  }
  return found
}

/** What `conversation.json` tells, and the transcript of Claude Code where it ends later. Rejects when it is none. */
export async function tellConversation(path: string, transcript: string | undefined, turnOf: TurnOf): Promise<Told> {
  const conversation = await readConversation(path)
  if (conversation === undefined) throw new Error(`${path} is no conversation`)
  const { from, to, thread, sessionId, createdAt, lastUpdated } = conversation
  const pair = { from, to, thread }
  const turns = await turnsOfConversation(conversation.messages(), turnOf)
  const text = transcript === undefined ? '' : await readFile(transcript, 'utf8').catch(() => '')
  for (const [id, turn] of turnsOfTranscript(text.split('\n'), turnOf)) {
    const known = turns.get(id)
    if (known) known.end ??= turn.end
    // A fork's transcript begins with the turns of another conversation.
    else if (turn.pair && pairText(turn.pair) === pairText(pair)) turns.set(id, turn)
  }
  const { birthtimeMs, mtimeMs } = await stat(path)
  const began = Date.parse(createdAt ?? '') || birthtimeMs
  return told(sessionId, pair, [...turns.values()], began, Date.parse(lastUpdated ?? '') || mtimeMs)
}

/** What the transcript of a conversation of Iris tells by itself; undefined when Iris has said nothing in it. */
export async function tellTranscript(sessionId: string, path: string, turnOf: TurnOf): Promise<Told | undefined> {
  const turns = [...turnsOfTranscript((await readFile(path, 'utf8')).split('\n'), turnOf).values()]
  // What a fork shares with another conversation stands before what is its own.
  const pair = turns.flatMap((turn) => turn.pair ?? []).at(-1)
  if (pair === undefined) return undefined
  const own = turns.filter((turn) => turn.pair === undefined || pairText(turn.pair) === pairText(pair))
  const { birthtimeMs, mtimeMs } = await stat(path)
  return told(sessionId, pair, own, own[0]?.at || birthtimeMs, mtimeMs)
}

function told(sessionId: string, pair: Pair, turns: readonly ToldTurn[], createdAt: number, fileAt: number): Told {
  const times = turns.map(({ at, end }) => Math.max(at, end?.at ?? 0))
  // Not by the file alone: it may have been copied since, or touched.
  const lastUsedAt = times.length > 0 ? Math.max(...times) : fileAt
  return { sessionId, pair, turns, createdAt: Math.round(createdAt), lastUsedAt: Math.round(lastUsedAt) }
}
