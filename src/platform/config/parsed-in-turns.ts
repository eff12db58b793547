import {
  Composer,
  type Document,
  type DocumentOptions,
  Lexer,
  type LineCounter,
  type ParsedNode,
  type ParseOptions,
  Parser,
  parseDocument,
  type SchemaOptions,
  YAMLParseError,
} from 'yaml'
import { ownTurn } from '../../base/lib/in-turns.ts'

type Options = ParseOptions &
  DocumentOptions &
  SchemaOptions & { readonly prettyErrors: false; lineCounter?: LineCounter }

/** A shorter text is parsed at once. */
const shortText = 4000
const lexemesAtOnce = 1000

/**
 * The same document as `parseDocument` returns. Parsing a thousand teams takes long, so other work gets a turn in
 * between.
 */
export async function parsedInTurns(text: string, options: Options): Promise<Document<ParsedNode>> {
  if (text.length < shortText) return parseDocument(text, options)
  options.lineCounter?.addNewLine(0)
  const parser = new Parser(options.lineCounter?.addNewLine)
  const tokens = []
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1
    if (lexemes % lexemesAtOnce === 0) await ownTurn()
    tokens.push(...parser.next(lexeme))
  }
  tokens.push(...parser.end())
  await ownTurn()
  const [document, second] = [...new Composer(options).compose(tokens, true, text.length)]
  if (second !== undefined) {
    const place: [number, number] = [second.range[0], second.range[1]]
    document!.errors.push(new YAMLParseError(place, 'MULTIPLE_DOCS', 'there is more than one document'))
  }
  await ownTurn()
  return document as Document<ParsedNode>
}
