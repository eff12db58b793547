/**
 * The element properties that tests read in functions that run in the browser. The types of React, which the monitor
 * uses, declare these names as empty. Including the whole DOM library would also allow its names in the daemon's code.
 */
interface Element {
  readonly ownerDocument: { readonly activeElement: Element | null }
  textContent: string
  readonly clientHeight: number
  contains(other: Element | null): boolean
  getAttribute(name: string): string | null
  getBoundingClientRect(): { readonly top: number; readonly bottom: number }
  scrollTo(x: number, y: number): void
}

interface HTMLElement extends Element {
  readonly dataset: Readonly<Record<string, string | undefined>>
  readonly style: { readonly left: string; readonly width: string }
}

interface SVGElement extends Element {
  readonly dataset: Readonly<Record<string, string | undefined>>
  readonly style: { readonly left: string; readonly width: string }
}
