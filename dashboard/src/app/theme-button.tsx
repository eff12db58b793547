import { useEffect, useState } from 'react'
import { IconButton } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { texts } from './texts.ts'
import { chooseTheme, currentTheme, followSystem } from './theme.ts'

export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => followSystem(setTheme), [])
  const other = theme === 'dark' ? 'light' : 'dark'
  const change = (): void => {
    chooseTheme(other)
    setTheme(other)
  }
  return (
    <IconButton label={texts.changeToColours(texts.colours[other])} onClick={change}>
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </IconButton>
  )
}
