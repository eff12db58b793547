import { expect, test } from 'vitest'
import { TurnPlay } from '../chaos/turn-play.ts'
import { contractVersions } from '../support/real-claude.ts'

/** `npm run chaos -- turns` plays others. In these messages join turns, processes die, and commands end at any moment. */
const seed = 7

test.each(contractVersions)(
  '%s: answers, tools, reports and tokens stay with their messages in any order',
  async (version) => {
    await using play = await TurnPlay.start(version)
    expect(await play.round(seed)).toMatchObject({ ask: expect.any(Number) })
  },
)
