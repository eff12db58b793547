import { sendForJson } from '../../adapters/client/send.ts'
import { plainFile } from '../../base/lib/plain-file.ts'
import { shareHeader } from '../../base/protocol/daemon.ts'
import { commandShare, shareText } from '../../platform/config/share.ts'
import type { CheckContext } from './check-context.ts'

const answerWithinMs = 3000

/**
 * The running daemon's answer to `GET path`, asked as the owner. Undefined when no daemon is running. Throws when a
 * running daemon does not answer.
 */
export async function askDaemon({ daemon, paths }: CheckContext, path: string): Promise<unknown> {
  if (daemon === undefined) return undefined
  const credential = async (file: string): Promise<string> => plainFile(file).trim()
  const owner = await credential(paths.owner).catch(() => undefined)
  const headers = {
    authorization: `Bearer ${await credential(paths.token)}`,
    ...(owner !== undefined && { [shareHeader]: shareText(commandShare, owner) }),
  }
  const signal = AbortSignal.timeout(answerWithinMs)
  return (await sendForJson(`http://127.0.0.1:${daemon.port}${path}`, { headers, signal })).body
}
