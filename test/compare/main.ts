/** `npm run compare-rules [how many] [seed]`: commands under the same rules, in Claude Code alone and through Iris. */
import { bothVersions } from '../support/real-claude.ts'
import { type Compared, compareRules } from './compared-sides.ts'
import { generatedCommands } from './generated-commands.ts'

const [count = '400', seed = '12'] = process.argv.slice(2)
const commands = generatedCommands(Number(count), Number(seed))
const show = (what: string, found: readonly Compared[]): void => {
  console.log(`  ${what}: ${found.length}`)
  if (found.length < 40) for (const { command } of found) console.log(`    ${JSON.stringify(command)}`)
}
for (const version of bothVersions) {
  const compared = await compareRules(version, commands)
  console.log(`Claude Code ${version}: ${compared.length} commands with seed ${seed}`)
  show(
    'run in Claude Code alone',
    compared.filter(({ plain }) => plain === 'runs'),
  )
  const looser = compared.filter((one) => one.plain === 'stops' && (one.ask === 'runs' || one.no === 'runs'))
  const stricter = compared.filter((one) => one.plain === 'runs' && one.ask === 'stops')
  show('stop there and run through Iris', looser)
  show('run there and are asked about through Iris', stricter)
  show(
    'run there and are refused with grantPermission: no',
    compared.filter((one) => one.plain === 'runs' && one.no === 'stops'),
  )
  if (looser.length + stricter.length > 0) process.exitCode = 1
}
process.exit()
