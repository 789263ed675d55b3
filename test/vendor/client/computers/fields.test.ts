import { Computer, ProvisioningStep } from '../../../../src/vendor/client/computers.ts';
import type { EnumCase } from '../field-cases.ts';
import { counts, secret, testEnum, testFields, texts } from '../field-cases.ts';
import { computer } from '../samples.ts';

for (const fieldCase of [
  {
    id: '154, 155, 156',
    what: 'what is required of a computer',
    schema: Computer,
    fields: computer(),
    required: ['id', 'name', 'providerType', 'createdAt'],
  },
  {
    id: '157',
    what: 'the host of a computer',
    schema: Computer,
    rest: computer(),
    fields: texts('hostId', 'hostname'),
  },
  {
    id: '158',
    what: 'the status of a computer',
    schema: Computer,
    rest: computer(),
    fields: { status: 'provisioning' },
  },
  {
    id: '159, A29',
    what: 'a provisioning step',
    schema: ProvisioningStep,
    fields: {
      ...texts('id', 'name', 'status', 'error', 'installSessionId'),
      ...counts('startedAt', 'completedAt'),
    },
  },
  {
    id: '159',
    what: 'the provisioning steps of a computer',
    schema: Computer,
    rest: computer(),
    fields: { provisioningSteps: [{ id: 'p1' }] },
  },
  {
    id: '161',
    what: 'the relay addresses of a computer, as secrets',
    schema: Computer,
    rest: computer(),
    fields: { relayClientUrl: secret, relayAgentUrl: secret },
  },
  {
    id: '162',
    what: 'user and owner of a computer',
    schema: Computer,
    rest: computer(),
    fields: texts('remoteUser', 'ownerPrincipalKind', 'ownerId'),
  },
]) {
  testFields(fieldCase);
}

const enums: readonly EnumCase[] = [
  ['155, A06', Computer, computer(), 'providerType', ['byom']],
  ['158', Computer, computer(), 'status', ['provisioning', 'active', 'error']],
];

for (const enumCase of enums) testEnum(enumCase);
