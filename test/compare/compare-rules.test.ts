import { expect, test } from 'vitest'
import { claudeVersions } from '../support/real-claude.ts'
import { compareRules } from './compared-sides.ts'
import { generatedCommands } from './generated-commands.ts'

/** `npm run compare-rules` does it with hundreds. */
const commands = generatedCommands(30, 12)

test.each(claudeVersions)(
  'under rules, thirty commands run through Iris just where they run in Claude Code %s alone',
  async (version) => {
    const compared = await compareRules(version, commands)
    expect(compared.filter(({ plain, ask }) => plain !== ask)).toEqual([])
    expect(compared.filter(({ plain, no }) => plain === 'stops' && no === 'runs')).toEqual([])
    expect(new Set(compared.map(({ plain }) => plain))).toEqual(new Set(['runs', 'stops']))
  },
)
