import { heldText, overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { ask } from './call-tool.ts'
import { TestIris } from './iris.ts'
import { spoken } from './world.ts'

const order = `\`POST /orders\` creates an order, on port 4100:

\`\`\`ts
const response = await fetch('http://localhost:4100/orders', {
  method: 'POST', // the cart is emptied by it
  body: JSON.stringify({ cart: cartId, voucher: null }),
})
\`\`\`

It answers **201** with the number of the order, **409** when the cart is empty.`

const answers: Readonly<Record<string, string>> = {
  'Which call creates an order, and on which port?': order,
  'Which pages show prices?': 'Three: the product, the cart and the checkout. The cart rounds once, at the end.',
  'What is new since the last release?': 'Vouchers, a shorter checkout, and prices in five currencies.',
}

/** A shop of four projects that work together, on a scripted model; `open` ends the translation. */
export const shop =
  (open: Promise<void>): Script =>
  ({ conversation: { lastUserText, toolResults } }) => {
    const said = spoken(lastUserText)
    const [result] = toolResults
    if (said === 'Is the order service stable?') return overloadedFailure
    if (said === 'Run the tests of the cart.' && result === undefined) {
      return { toolUses: [{ name: 'Bash', input: { command: 'npm test -- cart', description: 'runs the tests' } }] }
    }
    if (said === 'Translate the new texts.') {
      return { stream: heldText('I begin with the checkout.\nThe voucher comes next', open, ', and that is all.') }
    }
    if (said === 'Write the notes of the release.') {
      if (result !== undefined) return { text: `The notes are written. The shop says: ${result.text.slice(0, 200)}` }
      const input = { toTeam: 'frontend', message: 'Which pages show prices?', timeout: 0 }
      return { thinking: 'The shop knows its pages.', toolUses: [{ name: 'mcp__iris__send_message', input }] }
    }
    return { text: answers[said] ?? `About “${said}” I know nothing.` }
  }

export interface ShownWorld extends AsyncDisposable {
  readonly iris: TestIris
  /** A conversation with code, and the trace of an ask that caused another one. */
  readonly sessionId: string
  readonly turnId: string
}

/** Everything that the dashboard can show at once: a question, a failure, one at work, code, a trace of two. */
export async function shownWorld(): Promise<ShownWorld> {
  const open = Promise.withResolvers<void>()
  const iris = await TestIris.start({
    claude: 'fake',
    script: shop(open.promise),
    teams: {
      frontend: { description: 'The web shop. Knows the pages and the components.' },
      backend: { description: 'The API. Knows orders and prices.', env: { CLAUDE_CODE_MAX_RETRIES: '0' } },
      mobile: { description: 'The app.', grantPermission: 'ask' },
      docs: { description: 'Guides and release notes.' },
    },
  })
  const code = await ask(iris, 'backend', 'Which call creates an order, and on which port?', { fromTeam: 'frontend' })
  const traced = await ask(iris, 'docs', 'Write the notes of the release.', { timeout: 0 })
  await ask(iris, 'docs', 'What is new since the last release?', { fromTeam: 'backend' })
  await ask(iris, 'backend', 'Is the order service stable?', { fromTeam: 'mobile', timeout: 0 })
  const rest = [
    ask(iris, 'docs', 'Translate the new texts.', { fromTeam: 'mobile', timeout: 0 }),
    ask(iris, 'mobile', 'Run the tests of the cart.', { fromTeam: 'frontend', timeout: 0 }),
  ]
  await iris.event('permission:request')
  return {
    iris,
    sessionId: code.sessionId,
    turnId: traced.turnId,
    async [Symbol.asyncDispose]() {
      open.resolve()
      await iris[Symbol.asyncDispose]()
      await Promise.allSettled(rest)
    },
  }
}
