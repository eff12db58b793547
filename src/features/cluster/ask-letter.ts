import { isRoleThread, roleOfThread, threadBesideRole } from '../../base/protocol/role.ts'
import type { RemoteAsk } from '../../kernel/session/other-hosts.ts'
import { partsOf } from './host-names.ts'
import { type AskLetter, type KnownOfTurn, wireWithFiles, wireWithKnown, wireWithoutFiles } from './letters.ts'

/** The letter of an ask. `fullName` returns a team's name as all hosts know it. */
export function askLetter(
  { facts, chain, budget, notices, files }: RemoteAsk,
  traceparent: string | undefined,
  fullName: (team: string) => string,
  known?: KnownOfTurn,
): AskLetter {
  const { pair, message, awaited, hop, responseSchema } = facts
  const { team } = partsOf(pair.to)!
  return {
    wire: known ? wireWithKnown : files.length > 0 ? wireWithFiles : wireWithoutFiles,
    ...(known && { known }),
    from: pair.from,
    to: team,
    thread: threadBesideRole(pair.thread),
    ...(isRoleThread(pair.thread) && { role: roleOfThread(pair.thread)! }),
    message,
    waits: awaited,
    hop,
    chain: chain.map(fullName),
    ...(budget && { budget }),
    ...(notices.length > 0 && { notices: notices.map(({ text, leftAt }) => ({ text, leftAt })) }),
    ...(responseSchema && { responseSchema }),
    ...(files.length > 0 && { files: files.map(({ name, content }) => ({ name, data: content.toString('base64') })) }),
    ...(traceparent !== undefined && { traceparent }),
  }
}
