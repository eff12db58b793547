import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'

/**
 * The state of a person's message, in order: an agent has it; it is answered; it needed no agent; it arrived while Iris
 * was away; Iris refused it.
 */
export const messageStates = ['asked', 'answered', 'handled', 'skipped', 'refused'] as const
/**
 * The state of a post, in order: not begun; sent to the platform; posted, but its text still changes; done; it is
 * unknown whether it was posted; not posted.
 */
export const postStates = ['waiting', 'sending', 'reserved', 'posted', 'in_doubt', 'failed'] as const

const channel = z.string().describe('The name of the channel in config.yaml')

/** The state of a channel's connection. `refused`: Iris keeps trying, but a person has to act. */
export const ChannelLinkState = z.object({
  state: z.enum(['connecting', 'connected', 'retrying', 'refused', 'off']),
  as: z.string().optional().describe('The name under which the bot is signed in'),
  why: z.string().optional().describe('Why it is not connected'),
  catchingUp: z
    .object({ read: z.number(), of: z.number() })
    .optional()
    .describe('The progress of catching up on chat histories after being disconnected; more chats may be added'),
})
export type ChannelLinkState = z.infer<typeof ChannelLinkState>

const Person = z.object({
  sender: z.string().describe('The numeric id from the platform'),
  name: z.string().describe('The name that the platform shows; people can choose any name'),
  since: z.number().describe('Milliseconds since the epoch'),
})

const counts = <State extends string>(states: readonly State[]) =>
  z.object(Object.fromEntries(states.map((state) => [state, z.number()])) as Record<State, z.ZodNumber>)

/** Averages over answered messages. */
const Cost = z.object({
  messages: z.number(),
  cacheRead: z.number().describe('Tokens read from the cache'),
  cacheWrite: z.number().describe('Tokens written to the cache'),
  input: z.number().describe('Other tokens of the input'),
  output: z.number(),
  costUsd: z.number().optional(),
})

/** Posts that failed in one chat. */
const Failure = z.object({
  chat: z.string().describe('The chat, such as telegram:42'),
  posts: z.number().describe('How many posts failed there'),
  why: z.string().describe("The platform's error for the last of these posts"),
  at: z.number().describe('When Iris tried to post the last of them, in milliseconds since the epoch'),
  isOver: z.boolean().describe('Whether a later post there succeeded'),
})

/** A group that config.yaml lists under its former id. */
const Move = z.object({
  from: z.string().describe('The id in config.yaml'),
  to: z.string().describe('The id that the group has now'),
  remedy: z.string(),
})

const View = z.object({
  name: z.string(),
  platform: z.string(),
  team: z.string(),
  role: z.string(),
  link: ChannelLinkState,
  allowed: z.array(Person),
  pending: z.array(Person).describe('People who received a code and are waiting for the owner'),
  messages: counts(messageStates),
  firstMessages: Cost.optional().describe('The averages over messages that began a conversation'),
  laterMessages: Cost.optional(),
  posts: counts(postStates),
  failures: z.array(Failure).describe('Where posts failed, the latest chat first, at most 20'),
  moved: z.array(Move).describe('Groups whose id differs from the one in config.yaml'),
})

export const listChannels = operation({
  name: 'list_channels',
  routes: ['GET /api/channels'],
  title: 'List channels',
  description:
    'Lists the channels in config.yaml: whether each is connected, who may write to it, and counts of messages and posts.',
  access: 'owner',
  isTool: false,
  input: z.object({}),
  output: z.object({ channels: z.array(View) }),
  readOnly: true,
})

export const changeChannel = operation({
  name: 'change_channel',
  routes: ['POST /api/channels/{channel}/people'],
  title: 'Change who may write to a channel',
  description: "Approves a person's code (pair), or allows or removes a person by numeric id.",
  access: 'owner',
  isTool: false,
  input: z.object({
    channel,
    action: z.enum(['pair', 'allow', 'remove']),
    who: z.string().min(1).max(40).describe('For pair: the code; otherwise the numeric id'),
  }),
  output: z.object({ channel: z.string(), sender: z.string(), name: z.string(), isAllowed: z.boolean() }),
  readOnly: false,
})

export const testChannel = operation({
  name: 'test_channel',
  routes: ['POST /api/channels/{channel}/test'],
  title: 'Test the bot of a channel',
  description:
    "Asks the platform whether a channel's tokens are valid, which bot they belong to, and which rights it lacks.",
  access: 'owner',
  isTool: false,
  input: z.object({ channel }),
  output: z.object({
    channel: z.string(),
    isValid: z.boolean(),
    as: z.string().optional().describe('The name under which the bot is signed in'),
    why: z.string().optional().describe('Why it does not work'),
    missing: z.array(z.string()).describe('What the bot lacks, and what to do'),
    link: ChannelLinkState,
  }),
  readOnly: true,
})

export const listSkipped = operation({
  name: 'list_skipped',
  routes: ['GET /api/channels/{channel}/skipped'],
  title: 'List skipped messages',
  description: 'Lists up to 50 messages, oldest first, that came while Iris was away and were not answered.',
  access: 'owner',
  isTool: false,
  input: z.object({ channel }),
  output: z.object({
    messages: z.array(
      z.object({
        chat: z.string().describe('The chat, such as telegram:42'),
        sender: z.string(),
        name: z.string(),
        text: z.string(),
        sentAt: z.number(),
      }),
    ),
  }),
  readOnly: true,
})

export const replaySkipped = operation({
  name: 'replay_skipped',
  routes: ['POST /api/channels/{channel}/replay'],
  title: 'Answer skipped messages',
  description: 'Answers the oldest 50 skipped messages of a channel, each once and in order.',
  access: 'owner',
  isTool: false,
  input: z.object({ channel }),
  output: z.object({ channel: z.string(), replayed: z.number(), left: z.number() }),
  readOnly: false,
})
