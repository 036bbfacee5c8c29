import type { Texts } from '../texts.ts'

export const production: Texts['production'] = {
  title: 'Antes de pasar a producción',
  lead: 'Lo que hay que configurar antes de que los usuarios inicien sesión por Internet. En tu propia máquina, todo esto puede esperar.',
  done: 'Hecho',
  open: 'Pendiente',
  checks: {
    address: {
      title: 'Dirección con https',
      open: 'Configura BASE_URL con la dirección que abren los usuarios. Debe empezar por https://.',
    },
    proxy: {
      title: 'Direcciones de los clientes',
      open: 'Configura TRUST_PROXY con la dirección del proxy que está delante de este servidor. Si no, todos los usuarios tienen la dirección del proxy, y un límite para uno de ellos detiene a los demás.',
    },
    mail: {
      title: 'Servidor de correo',
      open: 'Configura MAIL_URL. Si no, los correos son archivos del directorio outbox, y ningún usuario los recibe.',
    },
    sender: {
      title: 'Remitente de los correos',
      open: 'Configura MAIL_FROM con una dirección de tu dominio. Los servidores de correo rechazan los correos de no-reply@localhost.',
    },
    secondFactor: {
      title: 'Segundo factor para esta consola',
      open: 'Configura CONSOLE_REQUIRE_MFA=true. Si no, basta una contraseña para gestionar todas las aplicaciones y todos los usuarios.',
    },
    privateAddresses: {
      title: 'Ninguna solicitud a direcciones privadas',
      open: 'Quita WEBHOOK_ALLOW_PRIVATE y SOCIAL_ALLOW_PRIVATE; si no, los webhooks y los proveedores de identidad alcanzan servidores de tu red.',
    },
    database: {
      title: 'PostgreSQL',
      open: 'La base de datos integrada sirve a un solo proceso en una máquina. Configura DATABASE_URL para varios procesos y para la conmutación por error.',
    },
    metrics: {
      title: 'Supervisión',
      open: 'Configura METRICS_TOKEN o METRICS_PORT, y haz que Prometheus lea /metrics.',
    },
    redirectUris: {
      title: 'Ninguna redirección a la máquina de un desarrollador',
      open: 'Quita las URI de redirección con localhost de:',
    },
  },
}
