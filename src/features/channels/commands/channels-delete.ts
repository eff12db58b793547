import { constants } from 'node:fs'
import { access, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isMap } from 'yaml'
import { findDaemon } from '../../../app/cli/find-daemon.ts'
import { refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { changeConfig, removeValue } from '../../../platform/config/change-text.ts'
import { expandTilde, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'

/**
 * Removes a channel from config.yaml, and the token files that `iris channels add` wrote. The channel's messages stay.
 */
export async function deleteChannel({ context, env, options, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'change its configuration')
  const { channel: name } = options as { channel: string }
  const home = irisHome(env)
  const { channels, file } = await loadConfig({ home, env })
  await access(home, constants.W_OK)
  const channel = channels.get(name)
  if (channel === undefined)
    throw new IrisError('not_found', `There is no channel "${name}".`, 'See "iris channels list".')
  await changeConfig({ home, env }, (document) => {
    removeValue(document, ['channels', name])
    const left = document.get('channels')
    if (isMap(left) && left.items.length === 0) removeValue(document, ['channels'])
  })
  const tokens = [channel.tokenFile, channel.appTokenFile].flatMap((path) =>
    path === undefined ? [] : [resolve(home, expandTilde(path, env))],
  )
  const own = [join(home, `${name}-token`), join(home, `${name}-app-token`)]
  const removed = tokens.filter((path) => own.includes(path))
  for (const path of removed) await rm(path, { force: true })
  if (json) return context.sayJson({ deleted: true, name, file, removed })
  context.say(`Removed the channel ${name} from ${file}.`)
  for (const path of removed) context.say(`Removed the token in ${path}. Revoke it at the platform if nobody needs it.`)
  for (const path of tokens) if (!removed.includes(path)) context.say(`The token in ${path} stays.`)
  if (await findDaemon(home)) context.say('Iris ends its connection now.')
}
