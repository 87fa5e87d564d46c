package importer;

import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
abstract class StreamingTests extends OwnSession {}
