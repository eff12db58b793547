import { z } from 'zod'
import { RoleName } from '../../base/protocol/role-name.ts'
import { danger, withMetadata } from './field-metadata.ts'
import { milliseconds, oneOf, path, variable, wholeNumber } from './fields.ts'
import { proxy } from './proxy.ts'
import { closedRole } from './roles.ts'

/** The name of a channel, as used in config.yaml, commands, the log and the store. */
export const ChannelName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a channel is 1 to 32 small letters, digits, _ or -, and starts with a letter')

/** The form of the ids that a platform gives to people and to groups. Names have a different form. */
const idForms = {
  telegram: { person: /^\d{1,20}$/, group: /^-?\d{1,20}$/ },
  discord: { person: /^\d{15,20}$/, group: /^\d{15,20}$/ },
  slack: { person: /^[UW][A-Z0-9]{2,20}$/, group: /^[CG][A-Z0-9]{2,20}$/ },
}

export type ChatPlatformName = keyof typeof idForms

export function isPersonId(platform: ChatPlatformName, id: string): boolean {
  return idForms[platform].person.test(id)
}

/** YAML reads an unquoted id as a number; a safe integer represents it exactly. */
export const chatId = z
  .preprocess((value) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value), z.string())
  .refine((id) => /^-?\d{1,20}$|^[A-Z][A-Z0-9]{2,20}$/.test(id), 'is not an id')

const people = danger('lets people outside talk to an agent', 'fewer')
const wholeTalk = danger('lets people outside talk to an agent')
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The address of the platform's API, which receives the bot's token. */
const apiRoot = z
  .string()
  .refine((written) => URL.canParse(written), { error: 'is not a URL', abort: true })
  .refine((written) => {
    const { protocol, hostname, username } = new URL(written)
    return username === '' && (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname)))
  }, 'goes over a network in the clear, or contains a user name')
  .describe('an https:// address, or an http:// one on this machine')

/** One channel of config.yaml: a bot, and the team that answers the people who may talk to it. */
export const ChannelEntry = z
  .strictObject({
    platform: oneOf(Object.keys(idForms) as [ChatPlatformName, ...ChatPlatformName[]]),
    /** The file with the token; the token itself is never in config.yaml. */
    tokenFile: withMetadata(path.optional(), wholeTalk),
    tokenVariable: withMetadata(variable, wholeTalk),
    /** Slack needs a second token, for the connection that delivers messages. */
    appTokenFile: withMetadata(path.optional(), wholeTalk),
    appTokenVariable: withMetadata(variable, wholeTalk),
    team: withMetadata(z.string().describe('the name of a team'), wholeTalk),
    role: withMetadata(RoleName.default(closedRole).describe('the name of a role'), wholeTalk),
    allow: withMetadata(z.array(chatId).default([]).describe('a list of ids of people'), people),
    groups: withMetadata(
      z
        .preprocess((value) => value ?? {}, z.record(chatId, oneOf(['mention', 'always'])))
        .describe('a mapping from ids of groups, in quotes, to mention or always'),
      wholeTalk,
    ),
    approvers: withMetadata(
      z.array(chatId).default([]).describe('a list of ids of people'),
      danger('lets people outside answer permission requests', 'fewer'),
    ),
    whenBusy: oneOf(['queue', 'steer']).default('queue'),
    sessionTimeout: milliseconds.default(1_800_000),
    maxSessions: wholeNumber(1, 10_000, 'sessions').default(100),
    cleanupInterval: milliseconds.default(300_000),
    catchUpMessages: wholeNumber(0, 10_000, 'messages').default(50),
    catchUpAge: milliseconds.default(3_600_000),
    apiRoot: withMetadata(apiRoot.optional(), danger('chooses who gets the token of the bot')),
    /** All requests to the platform go through this proxy. */
    proxy: withMetadata(proxy.optional(), danger('chooses the route of everything that the bot sends and receives')),
  })
  .refine(({ tokenFile, tokenVariable }) => (tokenFile === undefined) !== (tokenVariable === undefined), {
    error: 'needs one of tokenFile and tokenVariable',
  })
  .refine(
    ({ platform, appTokenFile, appTokenVariable }) =>
      [appTokenFile, appTokenVariable].filter((one) => one !== undefined).length === (platform === 'slack' ? 1 : 0),
    { error: 'needs one of appTokenFile and appTokenVariable for slack, and neither for other platforms' },
  )
  .refine(({ platform, allow, approvers }) => [...allow, ...approvers].every((id) => isPersonId(platform, id)), {
    error: 'has an id in allow or approvers that is not the id of a person on its platform',
  })
  .refine(({ platform, groups }) => Object.keys(groups).every((id) => idForms[platform].group.test(id)), {
    error: 'has an id in groups that is not the id of a group on its platform',
  })
  .describe('a mapping with platform, team and tokenFile or tokenVariable')
