import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function ConfigurationScreen() {
  return (
    <Screen title="Configuration">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
