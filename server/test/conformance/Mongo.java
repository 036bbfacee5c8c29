import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;

/**
 * A database in memory that the conformance suite can use instead of MongoDB: mongo-java-server, and the
 * response to a command that the suite sends when it starts. Listens on 127.0.0.1:27017.
 */
class Mongo {
  private static final Document VERSION =
      new Document("featureCompatibilityVersion", new Document("version", "6.0")).append("ok", 1.0);

  public static void main(String[] arguments) {
    MemoryBackend backend =
        new MemoryBackend() {
          @Override
          public Document handleMessage(MongoMessage message) {
            return message.getDocument().containsKey("getParameter")
                ? VERSION
                : super.handleMessage(message);
          }
        };
    new MongoServer(backend).bind("127.0.0.1", 27017);
  }
}
