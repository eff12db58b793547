import { irisVersion } from '../../base/protocol/version.ts'

/** The answer to what programs ask most often, before anything else is loaded; undefined for all the rest. */
export function quickAnswer(argv: readonly string[]): string | undefined {
  const isVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')
  return isVersion ? `iris ${irisVersion}` : undefined
}
