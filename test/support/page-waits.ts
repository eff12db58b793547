import { errors, type Locator, type Page } from 'playwright-core'
import { deadlineMs, WaitRanOut } from './eventually.ts'

/**
 * Playwright itself waits for pages: with `waitFor` of a locator for an expected element, and with these functions for
 * everything else. `TestBrowser` sets the bound of all of them.
 */

/** Waits until `locator` finds exactly so many elements. */
export async function count(locator: Locator, expected: number): Promise<void> {
  const past = locator
    .page()
    .locator(':root')
    .filter({ hasNot: locator.nth(expected) })
  const exact = expected === 0 ? past : past.filter({ has: locator.nth(expected - 1) })
  await inTime(`${locator} is there ${expected} times`, exact.waitFor(), () => locator.allTextContents())
}

/** Waits until a property of the element that `locator` finds is `expected`, or matches it. */
export async function reads(
  locator: Locator,
  property: 'textContent' | 'innerText' | 'value' | 'href' | 'rel' | 'src',
  expected: string | RegExp,
): Promise<void> {
  const waiting = locator.waitForFunction(
    (element, [name, wanted]) => {
      const value = String(Reflect.get(element, name))
      return typeof wanted === 'string' ? value === wanted : wanted.test(value)
    },
    [property, expected] as const,
  )
  await inTime(`the ${property} of ${locator} is ${expected}`, waiting, () =>
    locator.evaluateAll((elements, name) => elements.map((element) => String(Reflect.get(element, name))), property),
  )
}

/** Waits until an expression of JavaScript has this value in the page. */
export async function evaluates(page: Page, expression: string, expected: string | boolean): Promise<void> {
  const waiting = page.locator(':root').waitForFunction(`(${expression}) === ${JSON.stringify(expected)}`)
  await inTime(`${expression} is ${expected}`, waiting, () => page.evaluate(expression))
}

async function inTime(what: string, waiting: Promise<unknown>, look: () => Promise<unknown>): Promise<void> {
  try {
    await waiting
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error
    const seen = JSON.stringify(await look().catch(String))
    throw new WaitRanOut(`${what}: not within ${deadlineMs} ms, but the page has ${seen}`, { cause: error })
  }
}
