package streamingdeepdive;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.importer.ImportOption.OnlyIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Tag;

/** What the README says of {@code -DexcludedGroups}. */
@AnalyzeClasses(packages = "streamingdeepdive", importOptions = OnlyIncludeTests.class)
class TestTagsTest {
  @ArchTest
  static final ArchRule onlyTaggedTestsStartAJvm =
      noClasses()
          .that()
          .areNotAnnotatedWith(describe("@Tag(\"jvm\")", TestTagsTest::isJvm))
          .and()
          .doNotHaveSimpleName("ChildJvm")
          .should()
          .dependOnClassesThat()
          .haveSimpleName("ChildJvm");

  private static boolean isJvm(JavaAnnotation<?> annotation) {
    return annotation.getRawType().isEquivalentTo(Tag.class)
        && annotation.get("value").filter("jvm"::equals).isPresent();
  }
}
