const key = 'iris-theme'
export type Theme = 'light' | 'dark'

/** The colour that the system draws around the installed app: the colour of panels. */
const barColours: Record<Theme, string> = { light: '#ffffff', dark: '#1a1a25' }

/** The theme that the person chose in this browser, or else the system's. */
export function currentTheme(): Theme {
  const chosen = localStorage.getItem(key)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', barColours[theme])
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
}

/** Follows the system until the person chooses a theme. */
export function followSystem(onChange: (theme: Theme) => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)')
  const change = (): void => {
    applyTheme(currentTheme())
    onChange(currentTheme())
  }
  query.addEventListener('change', change)
  return () => query.removeEventListener('change', change)
}
