import { comment, type File, partitionNote, portOf, type SnippetInput, type SnippetText } from './snippet.ts'

const dependency = (artifact: string) => `    <dependency>
      <groupId>org.springframework.boot</groupId>
      <artifactId>${artifact}</artifactId>
    </dependency>
`

const POM = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>4.1.2</version>
  </parent>
  <groupId>sample</groupId>
  <artifactId>sample</artifactId>
  <version>1</version>
  <dependencies>
${dependency('spring-boot-starter-webmvc')}${dependency('spring-boot-starter-security-oauth2-client')}  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.springframework.boot</groupId>
        <artifactId>spring-boot-maven-plugin</artifactId>
      </plugin>
    </plugins>
  </build>
</project>
`

/** Spring Security's default requires a sign-in for every page. */
const SAMPLE = `package sample;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@SpringBootApplication
public class Sample {
  public static void main(String[] arguments) {
    SpringApplication.run(Sample.class, arguments);
  }

  @GetMapping("/")
  Map<String, Object> home(@AuthenticationPrincipal OidcUser user) {
    return Map.of("You are signed in", user.getClaims());
  }
}
`

const SECRET = `            client-secret: \${CLIENT_SECRET}`

const settings = (given: SnippetInput) => `server:
  port: ${portOf(given)}
spring:
  security:
    oauth2:
      client:
        provider:
          tenantry:
            issuer-uri: ${given.issuer}
${comment('#', partitionNote(given), '            ')}
            # Spring stores tokens by this name: by sub the accounts of a user would share them, by
            # membership_id two devices.
            user-name-attribute: sid
        registration:
          tenantry:
            client-id: ${given.clientId}
${given.kind === 'public' ? '            client-authentication-method: none' : SECRET}
            scope: [${given.scopes.join(', ')}]
`

const files = (given: SnippetInput): File[] => [
  { name: 'pom.xml', code: POM },
  { name: 'src/main/java/sample/Sample.java', code: SAMPLE },
  { name: 'src/main/resources/application.yml', code: settings(given) },
]

/** https://docs.spring.io/spring-boot/appendix/application-properties */
export const spring: SnippetText = {
  title: 'Java, Spring Boot',
  callback: '/login/oauth2/code/tenantry',
  files,
  start: () => 'mvn spring-boot:run',
  kinds: ['web', 'public'],
}
