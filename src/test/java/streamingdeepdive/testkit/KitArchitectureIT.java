package streamingdeepdive.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The kit is published without the tests of the lessons. */
@AnalyzeClasses(packages = "streamingdeepdive.testkit")
class KitArchitectureIT {
  @ArchTest
  static final ArchRule theKitKnowsNoLesson =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("streamingdeepdive.lesson..", "streamingdeepdive.trap..");
}
