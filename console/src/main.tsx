import './style/tokens.css'
import './style/base.css'
import './style/layout.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { router } from './router.tsx'
import { applyTheme, themeOf } from './shell/theme.ts'
import { loadLanguage } from './texts/texts.ts'

applyTheme(themeOf())
await loadLanguage()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
