import { irisVersion } from '../../base/protocol/version.ts'

/** Answers `--version` before anything else is loaded; undefined for every other command line. */
export function quickAnswer(argv: readonly string[]): string | undefined {
  const isVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')
  return isVersion ? `iris ${irisVersion}` : undefined
}
