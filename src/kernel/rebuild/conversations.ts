import { stat } from 'node:fs/promises'
import { type Pair, pairText } from '../../base/protocol/pair.ts'
import { allLines } from '../../claude/driver/transcript.ts'
import { readConversation } from '../../claude/transcript/read-conversation.ts'
import { FoundFile } from '../../platform/machine/found-file.ts'
import type { FileTree } from '../../platform/machine/machine.ts'
import { type ReconstructedTurn, type TurnOf, turnsOfConversation, turnsOfTranscript } from './reconstructed-turn.ts'

/** An Iris conversation, as its files show it. */
export interface Told {
  readonly sessionId: string
  readonly pair: Pair
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly turns: readonly ReconstructedTurn[]
}

const transcriptName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i

/**
 * Where transcripts can be found (`<names>/<any>/<session id>.jsonl` below the tree), or the place of one transcript,
 * whose whole path is then in `names`.
 */
export interface TranscriptPlace {
  readonly tree: FileTree
  readonly names: readonly string[]
}

/**
 * Claude Code's transcripts by session id. If an id has several transcripts, the last one found is used. Skips
 * directories that cannot be listed.
 */
export async function findTranscripts(places: readonly TranscriptPlace[]): Promise<Map<string, TranscriptPlace>> {
  const found = new Map<string, TranscriptPlace>()
  for (const { tree, names } of places) {
    for (const slug of await listed(tree, names)) {
      for (const name of await listed(tree, [...names, slug])) {
        const id = transcriptName.exec(name)?.[1]
        if (id !== undefined) found.set(id, { tree, names: [...names, slug, name] })
      }
    }
  }
  return found
}

async function listed(tree: FileTree, names: readonly string[]): Promise<readonly string[]> {
  const all: string[] = []
  try {
    for await (const name of tree.list(names)) all.push(name)
  } catch {
    // The path is a link or a file.
  }
  return all
}

async function opened({ tree, names }: TranscriptPlace): Promise<FoundFile> {
  const facts = await tree.find(names)
  if (facts === undefined) throw new Error(`${names.join('/')} is gone`)
  return new FoundFile(tree, facts)
}

/**
 * Reads a conversation from `conversation.json`, and adds later turns and ends that only Claude Code's transcript has.
 * Rejects if the file is not a conversation.
 */
export async function tellConversation(
  path: string,
  transcript: TranscriptPlace | undefined,
  turnOf: TurnOf,
): Promise<Told> {
  const conversation = await readConversation(path)
  if (conversation === undefined) throw new Error(`${path} is not a conversation`)
  const { from, to, thread, sessionId, createdAt, lastUpdated } = conversation
  const pair = { from, to, thread }
  const turns = await turnsOfConversation(conversation.messages(), turnOf)
  const lines =
    transcript === undefined
      ? []
      : await opened(transcript)
          .then(allLines)
          .catch(() => [])
  for (const [id, turn] of turnsOfTranscript(lines, turnOf)) {
    const known = turns.get(id)
    if (known) known.end ??= turn.end
    // A fork's transcript begins with the turns of another conversation.
    else if (turn.pair && pairText(turn.pair) === pairText(pair)) turns.set(id, turn)
  }
  const { birthtimeMs, mtimeMs } = await stat(path)
  const began = Date.parse(createdAt ?? '') || birthtimeMs
  return foundConversation(sessionId, pair, [...turns.values()], began, Date.parse(lastUpdated ?? '') || mtimeMs)
}

/** Reads a conversation from its transcript alone. Resolves to undefined if the transcript has no message from Iris. */
export async function tellTranscript(
  sessionId: string,
  place: TranscriptPlace,
  turnOf: TurnOf,
): Promise<Told | undefined> {
  const file = await opened(place)
  const turns = [...turnsOfTranscript(await allLines(file), turnOf).values()]
  // In the transcript of a fork, the turns that it shares with the other conversation come before the fork's own.
  const pair = turns.flatMap((turn) => turn.pair ?? []).at(-1)
  if (pair === undefined) return undefined
  const own = turns.filter((turn) => turn.pair === undefined || pairText(turn.pair) === pairText(pair))
  const { createdAt, modifiedAt } = file.facts
  return foundConversation(sessionId, pair, own, own[0]?.at || createdAt, modifiedAt)
}

function foundConversation(
  sessionId: string,
  pair: Pair,
  turns: readonly ReconstructedTurn[],
  createdAt: number,
  fileAt: number,
): Told {
  const times = turns.map(({ at, end }) => Math.max(at, end?.at ?? 0))
  // The file's modification time is used only if there is no turn, because the file may have been copied or touched
  // since.
  const lastUsedAt = times.length > 0 ? Math.max(...times) : fileAt
  return { sessionId, pair, turns, createdAt: Math.round(createdAt), lastUsedAt: Math.round(lastUsedAt) }
}
