/** Ids of the examples in the OpenAPI document, which refer to each other: the role is one of the system. */
export const EXAMPLE = {
  system: '3f1c2a8e-5b7d-4c19-9a42-6d0e8b1f7c35',
  role: '7a9d4e10-2c6b-4f83-8e57-1b3c5d7f9a20',
  profile: 'c4e8f2b6-9d13-4a75-b0c8-2e6f8a1d3b57',
  user: 'b2d6f8a1-4c3e-4d59-8b70-5a9c1e3f7d24',
  account: 'd9a3c7e5-1f84-4b26-a3d9-7c5e9f1b3d68',
  membership: 'e5b1d9f3-8a27-4c64-9f15-3d7b9e2c4a86',
  webhook: 'f7c3e1a9-6d58-4e92-b4a7-8f2d6c0e1b39',
  email: '8e4b6d20-a7f1-4c95-b3d8-6f0a2c4e1975',
  delivery: '1d5f9b37-e8c2-4a06-bd41-9e7a3c5f8d12',
  event: '2e6a0c48-f9d3-4b17-8e52-0f8b4d6a9e23',
  entry: '48c2e6a0-1bf5-4d39-a074-2f1d6f8c0b45',
  operator: '90b4d8f2-3a6c-4e17-95d8-c1f3a5b7e926',
  invitation: 'a6c0e4b8-2d7f-4195-b83e-4f1a7d9c5e02',
  serviceAccount: '5c2e8f40-b9d7-4a31-96ec-d8f1a3b57c69',
  key: 'd1f7b3c5-60e8-4942-8b1d-3a5c7e9f0246',
  testSignIn: '6b8d0f27-c1e4-4a59-8d36-f2a4c6e80b13',
  domain: '3c5e7a91-d2f4-4b68-97ca-0b2d4f6a8c15',
  connection: '8d4f1b6e-07a3-4c92-b5e8-2f6a9c0d3e71',
  job: '7e3b5d91-c0a8-4f26-9b4e-8d1c6a2f0e57',
  factor: 'e2a4c6f8-1b3d-4750-92e6-a8c0d2f4b617',
  provider: 'google',
  session: 'k4Tz9wQxLm2Vb7Nc5rHs8yGd3jFp6aEe1uRo0iXtYsA',
} as const

export const TIME = '2026-03-02T09:30:00.000Z'
